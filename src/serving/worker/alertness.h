// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <chrono>
#include <thread>
#include <utility>

namespace mycel::serving {

// How to wait for what probably comes at once. A thread that sleeps has to be woken, which takes
// longer than a small model: while messages keep coming within kSoon of each other, it looks for
// the next one instead, and lets others run meanwhile. Where others need the processor for long it
// sleeps: who is woken comes first, who lets others run does not. So it does on a single processor.
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
    bool has_come = false, is_free = true;
    while (score_ > 0 && !has_come && is_free && now - begin < kSoon) {
      has_come = look();
      if (!has_come) std::this_thread::yield();
      const Clock::time_point before = std::exchange(now, Clock::now());
      is_free = has_come || now - before < kLong;
    }
    if (!has_come) {
      sleep();
      now = Clock::now();
    }
    learn(now - begin < kSoon, is_free);
  }

 private:
  static constexpr std::chrono::microseconds kLong{30};  // for others to run in between
  static constexpr int kSure = 4, kWary = 256;

  void learn(bool was_soon, bool was_free) {
    if (is_alone_) return;
    if (!was_free) {
      score_ = -kWary;
    } else if (was_soon) {
      score_ = std::min(score_ + 1, kSure);
    } else if (score_ > -kSure) {
      --score_;
    }
  }

  const bool is_alone_ = std::thread::hardware_concurrency() < 2;
  int score_ = 0;
};

}  // namespace mycel::serving
