// SPDX-License-Identifier: Apache-2.0
#include "runtime/attend.h"

#include <atomic>
#include <chrono>

namespace mycel::runtime {

namespace {

using Clock = std::chrono::steady_clock;
constexpr Clock::duration kPause = std::chrono::milliseconds(50);

std::atomic<Attend>& attend() {
  static std::atomic<Attend> function = nullptr;
  return function;
}

}  // namespace

void set_attend(Attend function) { attend() = function; }

void attend_between_turns() {
  thread_local Clock::time_point next{};
  const Clock::time_point now = Clock::now();
  if (now < next) return;
  next = now + kPause;
  if (const Attend function = attend().load(std::memory_order_relaxed)) function();
}

}  // namespace mycel::runtime
