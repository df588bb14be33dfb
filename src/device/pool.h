// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

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
  void* piece = nullptr;  // the pool's own note; null on the host
};

// Freed blocks are kept and handed out again, so that a training step after the first asks the
// system for nothing: the host's by size class, those of devices as pieces that are split and
// joined (`stream_pool.h`). Going over the limit first drops what is cached, then throws
// MemoryError; the pool stays usable.
//
// A block of a device belongs to the thread's current stream there: it may be released while work
// on that stream still needs it. Work on another stream has to be told of.
Block allocate(Device device, std::size_t bytes);
void release(Device device, Block block);
void note_use(Device device, const Block& block, Stream& stream);
// While one is open on a thread, blocks that the thread gives back are kept: recorded work will
// use the same addresses again. They are released with it.
class ReleaseHold {
 public:
  ReleaseHold() = default;
  ~ReleaseHold();
  ReleaseHold(const ReleaseHold&) = delete;
  ReleaseHold& operator=(const ReleaseHold&) = delete;
  void open();
  void close();
  void keep(Device device, const Block& block) { blocks_.emplace_back(device, block); }

 private:
  std::vector<std::pair<Device, Block>> blocks_;
};

// The stream a block belongs to; null on the host.
Stream* stream_of(const Block& block);
// Nobody will use this stream again: its blocks go to the device's default stream.
void forget_stream(Device device, Stream& stream);

MemoryStatistics memory_statistics(Device device);
void reset_peak_statistics(Device device);
void empty_cache(Device device);
void set_memory_limit(Device device, std::size_t bytes);

// Text naming the largest live tensors, asked for when memory runs out; `tensor` provides it.
using LiveReport = std::string (*)(Device device);
void set_live_report(LiveReport report);

}  // namespace mycel::device
