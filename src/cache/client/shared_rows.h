// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <stop_token>
#include <vector>

#include "cache/client/cache_client.h"
#include "cache/client/handshake.h"
#include "cache/client/memory_map.h"
#include "cache/client/shared_index.h"

namespace mycel::cache {

// Memory or a file of the server, and its length.
struct SharedPart {
  platform::Descriptor descriptor;
  std::uint64_t size = 0;
};

// The rows of one cache as a client sees them: header, table and segments, mapped for reading when
// they are first needed. Any number of threads may look at once. What was mapped stays until the
// object goes, and every view of a row holds a share of it.
class SharedRows : public std::enable_shared_from_this<SharedRows> {
 public:
  // Asks the server for a part. Called under a lock, once for each.
  using Fetch = std::function<Result<SharedPart>(FrameKind kind, std::uint64_t number)>;

  static Result<std::shared_ptr<SharedRows>> open(Fetch fetch);
  ~SharedRows();

  Result<std::optional<RowView>> find(std::uint64_t row_id);
  void will_need(std::span<const std::uint64_t> row_ids);
  // Maps segments nobody has asked for yet: a thread with time does it before one without has to.
  void map_ahead(std::stop_token stop);
  // No calls of `fetch` from now on: whoever it belongs to goes.
  void detach();

  StoreState state() const;
  std::uint64_t row_count() const;
  // Sleeps until the state is another one, at most that long.
  void wait_while(StoreState state, int timeout_ms) const;

 private:
  struct Table {
    MemoryMap memory;
    std::uint32_t generation = 0;
    const TableEntry* entries() const { return reinterpret_cast<TableEntry*>(memory.data()); }
    std::uint64_t slots() const { return memory.size() / sizeof(TableEntry); }
  };
  struct SpillFile {
    platform::Descriptor descriptor;
  };

  explicit SharedRows(Fetch fetch) : fetch_(std::move(fetch)) {}
  const StoreHeader& header() const { return *reinterpret_cast<StoreHeader*>(header_.data()); }
  bool look_up(std::uint64_t row_id, FoundRow& found) const;
  Result<Done> follow_table();
  Result<const MemoryMap*> segment(std::uint64_t number);
  Result<const SpillFile*> spill_file(std::uint64_t number);
  Result<SharedPart> fetch(FrameKind kind, std::uint64_t number);
  Result<std::optional<RowView>> view_of(const FoundRow& found);
  Result<std::optional<RowView>> read_from_disk(const FoundRow& found);

  MemoryMap header_;
  std::atomic<const Table*> table_ = nullptr;
  std::array<std::atomic<const MemoryMap*>, kSegmentLimit> segments_{};
  std::atomic<const SpillFile*> spill_file_ = nullptr;
  std::mutex mutex_;  // guards what follows, and the growth of what precedes
  Fetch fetch_;
  std::vector<std::unique_ptr<const Table>> tables_;
  std::vector<std::unique_ptr<const MemoryMap>> segment_maps_;
  std::vector<std::unique_ptr<const SpillFile>> spill_files_;
};

}  // namespace mycel::cache
