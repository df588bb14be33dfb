// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "device/backend.h"

namespace mycel::device {

struct MemoryStatistics {
  std::size_t in_use = 0;       // bytes handed out now
  std::size_t peak_in_use = 0;  // most ever handed out
  std::size_t reserved = 0;     // bytes held from the backend, in use or cached
  std::size_t peak_reserved = 0;
  std::size_t limit = 0;  // 0: none
  std::uint64_t allocations = 0;
  std::uint64_t backend_allocations = 0;
};

// A block keeps the size it was cut to, which is what must be given back.
struct Block {
  void* data = nullptr;
  std::size_t bytes = 0;
};

// Freed blocks are kept by size class and handed out again, so that a training step after the
// first asks the system for nothing. Going over the limit first drops what is cached, then throws
// MemoryError; the pool stays usable.
Block allocate(Device device, std::size_t bytes);
void release(Device device, Block block);

MemoryStatistics memory_statistics(Device device);
void reset_peak_statistics(Device device);
void empty_cache(Device device);
void set_memory_limit(Device device, std::size_t bytes);

// Text naming the largest live tensors, asked for when memory runs out; `tensor` provides it.
using LiveReport = std::string (*)(Device device);
void set_live_report(LiveReport report);

}  // namespace mycel::device
