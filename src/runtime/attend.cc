// SPDX-License-Identifier: Apache-2.0
#include "runtime/attend.h"

#include <algorithm>
#include <atomic>
#include <chrono>

namespace mycel::runtime {

namespace {

using Clock = std::chrono::steady_clock;
constexpr Clock::duration kPause = std::chrono::milliseconds(50);
constexpr int kMostTurns = 1024;

std::atomic<Attend>& attend() {
  static std::atomic<Attend> function = nullptr;
  return function;
}

// Turns between two looks at the clock: few enough that no pause is missed, so many that looking
// costs nothing.
struct Watch {
  Clock::time_point last;
  int turns = 1, left = 0;
};

}  // namespace

void set_attend(Attend function) { attend() = function; }

void attend_between_turns() {
  thread_local Watch watch;
  if (--watch.left > 0) return;
  const Clock::time_point now = Clock::now();
  const Clock::duration passed = now - watch.last;
  watch.turns = passed < kPause / 8 ? std::min(2 * watch.turns, kMostTurns) : 1;
  watch.left = watch.turns;
  if (passed < kPause / 8) return;
  watch.last = now;
  if (const Attend function = attend().load(std::memory_order_relaxed)) function();
}

}  // namespace mycel::runtime
