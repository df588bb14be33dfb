// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "cache/client/control.h"
#include "cache/client/handshake.h"
#include "cache/client/shared_index.h"
#include "cache/server/shared_memory.h"
#include "cache/server/spill_folder.h"

namespace mycel::cache {

// A part of a store as it is given to a client: the descriptor is the store's.
struct LentPart {
  int descriptor = -1;
  std::uint64_t size = 0;
  std::shared_ptr<const void> keep_alive;
};

// Memory of a client's in which rows lie before they are stored. Read, never mapped: what the
// client does to it meanwhile can spoil its own rows only.
class StagingMemory {
 public:
  // An error unless it is memory that cannot shrink.
  static Result<std::shared_ptr<const StagingMemory>> check(platform::Descriptor descriptor,
                                                            std::uint64_t size);
  StagingMemory(platform::Descriptor descriptor, std::uint64_t size)
      : descriptor_(std::move(descriptor)), size_(size) {}
  std::uint64_t size() const { return size_; }
  bool read(std::uint64_t offset, std::byte* target, std::uint64_t length) const;

 private:
  platform::Descriptor descriptor_;
  std::uint64_t size_;
};

struct StoreLimits {
  std::uint64_t memory_bytes = 0;      // 0: the budget's
  const SpillFolder* spill = nullptr;  // null: rows that do not fit are not stored
};

// The rows of one cache. Rows come and stay; a store that was full once takes no more. Any thread
// may call anything.
class RowStore : public std::enable_shared_from_this<RowStore> {
 public:
  static Result<std::shared_ptr<RowStore>> make(MemoryBudget& budget, const StoreLimits& limits,
                                                StoreState state);

  // Stores rows one after the other; those it has are passed over. An error for rows that lie
  // outside the memory, or, with `is_ordered`, do not follow those there are.
  Result<Room> store(const StagingMemory& memory, const StagedRows& rows, bool is_ordered);

  // What clients map. An error: there is no such part.
  Result<LentPart> part(FrameKind kind, std::uint64_t number) const;

  StoreState state() const;
  // Also wakes clients that wait for another state.
  void set_state(StoreState state);
  // Gives all memory back; only for rows nobody reads.
  void discard();
  CacheStatistics statistics() const;  // rows and bytes

  // The next segment is made ahead, because the system takes a while to find its pages.
  bool wants_spare() const;
  void make_spare();

 private:
  struct Segment {
    SharedMemory memory;
    std::uint64_t used = 0;
  };

  RowStore(MemoryBudget& budget, const StoreLimits& limits, SharedMemory header)
      : budget_(budget), limits_(limits), header_memory_(std::move(header)) {}
  StoreHeader& header() const { return *reinterpret_cast<StoreHeader*>(header_memory_.data()); }
  TableEntry* entries() const { return reinterpret_cast<TableEntry*>(table_->data()); }
  std::uint64_t slots() const { return table_->size() / sizeof(TableEntry); }
  Result<Done> make_table(std::uint64_t slots);
  Result<Room> store_row(const StagingMemory& memory, std::uint64_t row_id, std::uint64_t offset,
                         std::uint64_t length);
  Result<Room> spill_row(const StagingMemory& memory, std::uint64_t row_id, std::uint64_t offset,
                         std::uint64_t length);
  void publish(std::uint64_t row_id, RowPlace place, std::uint64_t length);
  Segment* segment_for(std::uint64_t bytes);
  std::uint64_t next_segment_bytes() const;

  MemoryBudget& budget_;
  const StoreLimits limits_;
  const SharedMemory header_memory_;
  mutable std::mutex mutex_;  // guards everything below
  std::shared_ptr<SharedMemory> table_;
  std::vector<std::shared_ptr<Segment>> segments_;
  std::shared_ptr<Segment> spare_;
  std::uint64_t segment_bytes_ = 0;  // of all
  std::uint64_t memory_bytes_ = 0;   // of rows, with what alignment adds
  platform::Descriptor spill_writer_;
  std::shared_ptr<platform::Descriptor> spill_reader_;
  std::uint64_t spill_end_ = 0;
  CacheStatistics counts_;
  Room room_ = Room::Enough;
};

}  // namespace mycel::cache
