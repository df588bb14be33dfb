// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace mycel::serving {

struct Address {
  std::string host;  // or the path of a local socket
  std::uint16_t port = 0;
  bool is_local_socket = false;
};

// "host:port" or "unix:path". RuntimeError in the words of MindSpore Serving; `what` names the
// address in them ("Serving gRPC", "RESTful server").
Address read_address(std::string_view text, std::string_view what);

}  // namespace mycel::serving
