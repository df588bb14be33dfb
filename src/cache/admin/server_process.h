// SPDX-License-Identifier: Apache-2.0
// Starting and stopping the server's process.
#pragma once

#include <cstdint>
#include <string>

#include "cache/admin/arguments.h"
#include "platform/error/error.h"
#include "platform/file/file.h"

namespace mycel::cache {

struct StartedServer {
  std::int32_t pid = 0;
  std::string warning;  // empty: none
};

// Starts the program `cache_server` beside this one and waits until it says that it is ready.
platform::Result<StartedServer> start_server(const Arguments& arguments);

// Asks the server to end; one that does not is ended. An error when there is none.
platform::Result<platform::Done> stop_server(std::uint16_t port);

}  // namespace mycel::cache
