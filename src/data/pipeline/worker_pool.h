// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <mutex>
#include <vector>

#include "platform/thread/thread.h"

namespace mycel::data {

// The threads of one pipeline. Tasks run in the order they were given; a task must not throw. What
// has not begun when the pool goes is dropped.
class WorkerPool {
 public:
  using Task = std::function<void()>;

  explicit WorkerPool(std::size_t threads);
  ~WorkerPool();
  WorkerPool(const WorkerPool&) = delete;
  WorkerPool& operator=(const WorkerPool&) = delete;

  std::size_t size() const { return threads_.size(); }
  void submit(Task task);
  // Tasks that wait for a thread.
  std::size_t backlog() const;
  // After a fork the threads exist in the parent only: forget them without joining.
  void abandon();

 private:
  void work(const std::stop_token& stop);

  mutable std::mutex mutex_;  // guards tasks_
  std::condition_variable_any ready_;
  std::deque<Task> tasks_;
  std::vector<platform::Thread> threads_;
};

}  // namespace mycel::data
