// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <vector>

#include "platform/thread/thread.h"

namespace mycel::data {

// The threads of one pipeline. Tasks run in the order they were given; a task must not throw. What
// has not begun when the pool is stopped is dropped.
class WorkerPool {
 public:
  using Task = std::function<void()>;

  // `keeps_alive`: held by every thread until it ends.
  WorkerPool(std::size_t threads, std::shared_ptr<void> keeps_alive);
  ~WorkerPool();
  WorkerPool(const WorkerPool&) = delete;
  WorkerPool& operator=(const WorkerPool&) = delete;

  std::size_t size() const { return size_; }
  // Nothing happens after stop().
  void submit(Task task);
  // Tasks that wait for a thread.
  std::size_t backlog() const;
  // Whether the caller is a thread of this pool.
  bool is_here() const;
  // Asks the threads to stop; what has not begun is dropped. May be called again.
  void request_stop();
  // Whether all threads are through with their work; waits a while at most.
  bool wait_for_end(std::chrono::steady_clock::time_point until);
  // Asks the threads to stop and waits for them; not to be called by one of them.
  void stop();
  // Asks the threads to stop and waits for nothing.
  void let_go();

 private:
  struct Shared;
  std::vector<platform::Thread> taken_threads();

  std::size_t size_;
  std::shared_ptr<Shared> shared_;
};

}  // namespace mycel::data
