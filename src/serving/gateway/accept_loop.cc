// SPDX-License-Identifier: Apache-2.0
#include "serving/gateway/accept_loop.h"

#include <algorithm>

#include <boost/asio/ip/address.hpp>
#include <sys/resource.h>

#include "platform/error/error.h"

namespace mycel::serving {

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;

void listen_at(tcp::acceptor& acceptor, const std::string& host, std::uint16_t port) {
  error_code error;
  const bool has_brackets = host.size() > 2 && host.front() == '[' && host.back() == ']';
  const std::string name = has_brackets ? host.substr(1, host.size() - 2) : host;
  tcp::endpoint endpoint(asio::ip::make_address(name, error), port);
  if (error) {
    tcp::resolver resolver(acceptor.get_executor());
    const auto found = resolver.resolve(name, std::to_string(port), error);
    if (!error) endpoint = *found.begin();
  }
  if (!error) acceptor.open(endpoint.protocol(), error);
  if (!error) acceptor.set_option(asio::socket_base::reuse_address(true), error);
  if (!error) acceptor.bind(endpoint, error);
  if (!error) acceptor.listen(asio::socket_base::max_listen_connections, error);
  platform::require(!error, platform::ErrorKind::Runtime, "bind to the socket address ", host, ":",
                    port, " failed: ", error.message());
}

std::size_t within_descriptors(std::size_t most, double share) {
  rlimit descriptors{};
  getrlimit(RLIMIT_NOFILE, &descriptors);
  const double there = static_cast<double>(descriptors.rlim_cur) * share;
  return static_cast<std::size_t>(std::clamp(there, 1.0, static_cast<double>(most)));
}

}  // namespace mycel::serving
