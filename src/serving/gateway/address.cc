// SPDX-License-Identifier: Apache-2.0
#include "serving/gateway/address.h"

#include "platform/error/error.h"
#include "platform/options/options.h"

namespace mycel::serving {
namespace {

using platform::ErrorKind;
using platform::require;

constexpr std::string_view kUnix = "unix:";
constexpr std::int64_t kHighestPort = 65535;

}  // namespace

Address read_address(std::string_view text, std::string_view what) {
  if (text.starts_with(kUnix)) {
    const std::string path(text.substr(kUnix.size()));
    require(!path.empty(), ErrorKind::Runtime, "Empty grpc server unix domain socket address");
    return {path, 0, true};
  }
  const std::size_t colon = text.rfind(':');
  const std::optional<std::int64_t> port = colon == std::string_view::npos
                                               ? std::nullopt
                                               : platform::parse_integer(text.substr(colon + 1));
  require(colon != std::string_view::npos && colon > 0 && port.has_value(), ErrorKind::Runtime,
          "The format of the ", what, " address '", text, "' is illegal; it is 'ip:port'");
  require(*port >= 1 && *port <= kHighestPort, ErrorKind::Runtime, "The port of the ", what,
          " address '", text, "' is out of legal range [1 ~ 65535]");
  return {std::string(text.substr(0, colon)), static_cast<std::uint16_t>(*port), false};
}

}  // namespace mycel::serving
