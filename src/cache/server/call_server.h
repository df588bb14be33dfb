// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>

#include "cache/client/control.h"
#include "cache/server/session_table.h"
#include "platform/file/file.h"

namespace mycel::cache {

// Answers the calls of cache.proto, over connections others have accepted. gRPC is known to its
// source alone. What one connection may ask at a time, and how much of it is read, is bounded.
class CallServer {
 public:
  struct Settings {
    int workers = 1;                       // threads that answer
    std::function<ServerListing()> facts;  // what --server_info shows
    std::function<void()> stop;            // a client asks the server to end
  };
  static std::unique_ptr<CallServer> make(SessionTable& sessions, Settings settings);

  // Ends calls that are under way; those that do not end in time are cut off.
  virtual ~CallServer() = default;
  virtual void add_connection(platform::Descriptor socket) = 0;
};

}  // namespace mycel::cache
