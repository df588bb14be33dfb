// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "cache/client/memory_map.h"
#include "cache/server/memory_budget.h"
#include "platform/error/error.h"
#include "platform/file/file.h"

namespace mycel::cache {

// Anonymous memory this process writes and others may read. Its pages exist from the start, its
// size never changes, and nobody who gets the descriptor can write to it. It goes when the last
// process that has it does.
class SharedMemory {
 public:
  // An error when memory or budget are used up.
  static platform::Result<SharedMemory> make(const char* name, std::uint64_t bytes,
                                             MemoryBudget& budget);

  std::byte* data() const { return map_.data(); }
  std::uint64_t size() const { return map_.size(); }
  int descriptor() const { return reader_.number(); }  // opened for reading

 private:
  SharedMemory(MemoryShare share, platform::Descriptor reader, MemoryMap map)
      : share_(std::move(share)), reader_(std::move(reader)), map_(std::move(map)) {}
  MemoryShare share_;
  platform::Descriptor reader_;
  MemoryMap map_;
};

}  // namespace mycel::cache
