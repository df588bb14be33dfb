// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "operator/registry.h"

namespace mycel::op {

// Gives a call the thread's current stream of the device, and tells the pool what is used there.
void put_on_stream(KernelContext& kernel, device::Device device);

// Picks the kernel and runs it, on the current stream where the device has streams.
inline void launch(KernelContext& kernel, device::Device device) {
  if (device.backend != device::kHostBackend) [[unlikely]]
    put_on_stream(kernel, device);
  run_kernel(kernel, device);
}

}  // namespace mycel::op
