// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <condition_variable>
#include <cstddef>
#include <mutex>

namespace mycel::api {

// Lets so many callers work at a time; some more may wait for their turn, and others are sent away.
class WorkerGate {
 public:
  WorkerGate(std::size_t workers, std::size_t queue) : free_(workers), queue_(queue) {}

  // False: too many wait already.
  bool enter() {
    std::unique_lock lock(mutex_);
    if (free_ == 0 && waiting_ >= queue_) return false;
    ++waiting_;
    changed_.wait(lock, [&] { return free_ > 0; });
    --waiting_;
    --free_;
    return true;
  }

  void leave() {
    {
      const std::lock_guard lock(mutex_);
      ++free_;
    }
    changed_.notify_one();
  }

  std::size_t waiting() const {
    const std::lock_guard lock(mutex_);
    return waiting_;
  }

 private:
  mutable std::mutex mutex_;  // guards what follows
  std::condition_variable changed_;
  std::size_t free_;
  const std::size_t queue_;
  std::size_t waiting_ = 0;
};

}  // namespace mycel::api
