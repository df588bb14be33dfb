// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <chrono>
#include <thread>

namespace mycel::serving {

// How to wait for what probably comes at once. A thread that sleeps has to be woken, which takes
// longer than a small model: while messages keep coming within kSoon of each other, it looks for
// the next one instead, and lets others run meanwhile. It does not on a single processor.
class Alertness {
 public:
  using Clock = std::chrono::steady_clock;

  static constexpr std::chrono::microseconds kSoon{100};

  // Waits by `sleep()`, or by `look()` as long as that is worth it; `look` says whether it has
  // come.
  template <class Look, class Sleep>
  void wait(Look look, Sleep sleep) {
    const Clock::time_point begin = Clock::now();
    Clock::time_point now = begin;
    bool has_come = false;
    while (score_ > 0 && !has_come && now - begin < kSoon) {
      has_come = look();
      if (!has_come) std::this_thread::yield();  // to whoever is about to send it, maybe
      now = Clock::now();
    }
    if (!has_come) {
      sleep();
      now = Clock::now();
    }
    const bool was_soon = now - begin < kSoon;
    score_ =
        std::clamp(score_ + (was_soon ? 1 : -1), is_alone_ ? 0 : -kSure, is_alone_ ? 0 : kSure);
  }

 private:
  static constexpr int kSure = 4;

  const bool is_alone_ = std::thread::hardware_concurrency() < 2;
  int score_ = 0;
};

}  // namespace mycel::serving
