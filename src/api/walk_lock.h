// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mutex>
#include <shared_mutex>

namespace mycel::api {

// Guards the weights of a program. While one thread records a walk over it, the recorder watches
// them, and a run that writes them must be alone; all other runs happen side by side. Whoever wants
// to be alone does not wait for ever, however many runs there are: those that come later queue
// behind.
class WalkLock {
 public:
  std::shared_lock<std::shared_mutex> together() {
    const std::lock_guard wait_for_turn(turn_);
    return std::shared_lock(mutex_);
  }
  std::unique_lock<std::shared_mutex> alone() {
    const std::lock_guard wait_for_turn(turn_);
    return std::unique_lock(mutex_);
  }

 private:
  std::mutex turn_;
  std::shared_mutex mutex_;
};

}  // namespace mycel::api
