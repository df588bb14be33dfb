// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "cache/client/server_lock.h"
#include "cache/server/call_server.h"
#include "cache/server/listener.h"
#include "cache/server/memory_budget.h"
#include "cache/server/session_table.h"
#include "cache/server/spill_folder.h"
#include "platform/thread/bounded_queue.h"
#include "platform/thread/thread.h"

namespace mycel::cache {

struct ServerOptions {
  std::uint16_t port = kDefaultPort;
  int workers = 0;  // 0: half of the processors
  int log_level = 1;
  std::string spill_folder;  // empty: none
  int shared_memory_gb = 4;  // checked only: memory grows with what is stored
  double memory_cap_ratio = 0.8;
  std::chrono::milliseconds longest_silence{10'000};  // see SessionTable
};

int default_workers();
// As many as make sense: at least one for every memory node and the same number for each, at most
// two for every processor.
int adjusted_workers(int workers, int processors, int nodes);

// A whole server in this process. Nothing of it is left in the system when the object is gone, or
// the process.
class Server {
 public:
  // Takes the lock and the socket. The error has the words users know.
  static Result<std::unique_ptr<Server>> start(const ServerOptions& options,
                                               MachineMemory machine = this_machine());
  ~Server();

  // Until stop(), a client's call to stop, or the loss of the socket's file.
  Listener::End run();
  void stop();
  int stop_descriptor() const { return listener_->stop_descriptor(); }
  const std::string& warning() const { return warning_; }  // empty: all is as it was asked for
  const ServerPlace& place() const { return place_; }

 private:
  Server(const ServerOptions& options, MachineMemory machine, ServerPlace place, ServerLock lock);
  Result<Done> open();
  ServerListing facts() const;
  void prepare_segments(std::stop_token stop);

  ServerOptions options_;
  const ServerPlace place_;
  const std::chrono::steady_clock::time_point begun_ = std::chrono::steady_clock::now();
  std::string warning_;
  ServerLock lock_;
  MemoryBudget budget_;
  std::optional<SpillFolder> spill_;
  platform::BoundedQueue<std::shared_ptr<RowStore>> to_prepare_{64};
  std::unique_ptr<SessionTable> sessions_;
  std::unique_ptr<CallServer> calls_;
  std::unique_ptr<Listener> listener_;
  platform::Thread preparer_;
};

}  // namespace mycel::cache
