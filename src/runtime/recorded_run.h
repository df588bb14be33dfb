// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include "device/backend.h"
#include "device/pool.h"
#include "tensor/tensor.h"

namespace mycel::runtime {

// Waits for everything that is queued, before something goes that it uses. Errors of that work are
// logged.
void wait_for_device(device::Device device) noexcept;

// A run of a program that a device repeats as a whole: always on the same memory. What differs from
// run to run is brought there before, and taken from there after.
struct RecordedRun {
  explicit RecordedRun(device::Device device) : device(device) {}
  ~RecordedRun() { wait_for_device(device); }
  RecordedRun(const RecordedRun&) = delete;
  RecordedRun& operator=(const RecordedRun&) = delete;

  device::Device device;
  const device::Stream* stream = nullptr;  // that it is repeated on
  std::vector<tensor::Tensor> arguments;   // copies of its own, by number
  std::vector<const void*> parameters;     // where they lay, by root
  tensor::Tensor keys;                     // of random calls, seed and offset each
  device::ReleaseHold scratch;             // what kernels have used for the time of a call
  std::unique_ptr<device::Recording> recording;
};

}  // namespace mycel::runtime
