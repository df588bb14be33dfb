// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <functional>
#include <vector>

#include "serving/repository/servable.h"
#include "serving/worker/frame.h"

namespace mycel::serving {

using Clock = std::chrono::steady_clock;

// Each takes some hundred bytes on its way, however small its values: a message of the largest
// size could otherwise ask for all memory there is.
constexpr std::size_t kMostRequestInstances = 1 << 16;

// Instances for one method of one servable, and who wants the results.
struct Request {
  const Method* method = nullptr;   // of the servable that the scheduler works for
  std::vector<Instance> instances;  // values in the order of the method's inputs
  Clock::time_point deadline = Clock::time_point::max();
  // Called once, on the scheduler's thread, with an outcome per instance.
  std::function<void(std::vector<Outcome>)> done;
};

}  // namespace mycel::serving
