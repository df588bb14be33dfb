// SPDX-License-Identifier: Apache-2.0
#include "serving/client/socket_grpc_client.h"

#include <array>
#include <memory>
#include <optional>
#include <utility>

#include <boost/asio/buffer.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/write.hpp>

#include "platform/error/error.h"
#include "serving/gateway/address.h"

namespace mycel::serving {

namespace asio = boost::asio;
using boost::system::error_code;

SocketGrpcClient::SocketGrpcClient(const std::string& address) {
  const Address place = read_address(address, "Serving gRPC");
  error_code error;
  if (place.is_local_socket) {
    socket_.connect(asio::local::stream_protocol::endpoint(place.host), error);
  } else {
    socket_.connect(asio::ip::tcp::endpoint(asio::ip::make_address(place.host), place.port), error);
  }
  platform::require(!error, platform::ErrorKind::Runtime, "nobody listens at ", address, ": ",
                    error.message());
}

GrpcReply SocketGrpcClient::ask(const std::string& path, std::string_view message,
                                const GrpcClient::Headers& more) {
  const auto answer =
      std::make_shared<std::optional<GrpcReply>>();  // the call may outlive the wait
  client_.ask(
      path, message, [answer](GrpcReply reply) { *answer = std::move(reply); }, more);
  while (!*answer && exchange()) {
  }
  return answer->value_or(GrpcReply{});
}

bool SocketGrpcClient::exchange() {
  send();
  std::array<char, 16 << 10> bytes;
  error_code error;
  const std::size_t size = socket_.read_some(asio::buffer(bytes), error);
  if (error || !client_.receive({bytes.data(), size})) return false;
  send();
  return true;
}

void SocketGrpcClient::send() {
  for (std::string_view bytes = client_.output(); !bytes.empty(); bytes = client_.output())
    send_bytes(bytes);
}

void SocketGrpcClient::send_bytes(std::string_view bytes) {
  error_code ignored;  // what is read says that the connection ended
  asio::write(socket_, asio::buffer(bytes.data(), bytes.size()), ignored);
}

void SocketGrpcClient::stop_sending() {
  error_code ignored;
  socket_.shutdown(asio::socket_base::shutdown_send, ignored);
}

}  // namespace mycel::serving
