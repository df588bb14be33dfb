// SPDX-License-Identifier: Apache-2.0
// What server and clients share in memory about the rows of a cache. The server alone writes; an
// entry is seen when it is complete, and never changes afterwards. There is one header for the life
// of a cache's rows, and a table that is replaced by a larger one when it fills up.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace mycel::cache {

enum class StoreState : std::uint32_t {
  Open,       // rows may be read and, in a mappable cache, stored
  Building,   // one client stores the rows of a stream
  Abandoned,  // that client is gone; another one may begin anew
  NoMemory,   // the build ended because memory was used up,
  NoDisk,     // or the spill folder
  Dropped,    // the session was destroyed
};

// At the start of a page of its own.
struct StoreHeader {
  std::atomic<std::uint32_t> state;       // a StoreState; waiters sleep on it as a futex
  std::atomic<std::uint32_t> generation;  // of the current table
  std::atomic<std::uint64_t> rows;        // stored so far
  std::atomic<std::uint32_t> segments;    // that hold them
};

constexpr std::size_t kHeaderBytes = 4096;
constexpr std::size_t kRowAlignment = 64;  // of rows in segments
constexpr std::size_t kPlaceUnit = 16;     // offsets are counted in it
constexpr std::uint64_t kSegmentLimit = 4096;

// Where a row lies: a bit for disk, 15 for the number of segment or file, 48 for the offset in
// units.
class RowPlace {
 public:
  RowPlace() = default;
  explicit RowPlace(std::uint64_t word) : word_(word) {}
  static RowPlace in_memory(std::uint64_t segment, std::uint64_t offset) {
    return RowPlace(segment << 48 | offset / kPlaceUnit);
  }
  static RowPlace on_disk(std::uint64_t file, std::uint64_t offset) {
    return RowPlace(kDiskBit | file << 48 | offset / kPlaceUnit);
  }
  std::uint64_t word() const { return word_; }
  bool is_on_disk() const { return (word_ & kDiskBit) != 0; }
  std::uint64_t number() const { return word_ >> 48 & 0x7FFF; }
  std::uint64_t offset() const { return (word_ & 0xFFFFFFFFFFFF) * kPlaceUnit; }

 private:
  static constexpr std::uint64_t kDiskBit = std::uint64_t{1} << 63;
  std::uint64_t word_ = 0;
};

struct TableEntry {
  std::atomic<std::uint64_t> row_id;
  std::atomic<std::uint64_t> place;
  std::atomic<std::uint64_t> length_plus_one;  // written last; 0: free
};
static_assert(sizeof(TableEntry) == 24);
static_assert(std::atomic<std::uint64_t>::is_always_lock_free &&
              std::atomic<std::uint32_t>::is_always_lock_free);

struct FoundRow {
  RowPlace place;
  std::uint64_t length = 0;
};

// Splitmix64's last step: neighbouring ids end up far apart.
inline std::uint64_t scattered(std::uint64_t row_id) {
  row_id = (row_id ^ row_id >> 30) * 0xBF58476D1CE4E5B9U;
  row_id = (row_id ^ row_id >> 27) * 0x94D049BB133111EBU;
  return row_id ^ row_id >> 31;
}

// A hash table with a power of two of slots, some of which are always free.
template <class Entry>
Entry* slot_of(Entry* entries, std::uint64_t slots, std::uint64_t row_id, bool& is_taken) {
  const std::uint64_t mask = slots - 1;
  for (std::uint64_t at = scattered(row_id) & mask, seen = 0; seen < slots; ++seen) {
    Entry* const entry = entries + at;
    is_taken = entry->length_plus_one.load(std::memory_order_acquire) != 0;
    if (!is_taken || entry->row_id.load(std::memory_order_relaxed) == row_id) return entry;
    at = (at + 1) & mask;
  }
  is_taken = false;
  return nullptr;
}

inline bool find_row(const TableEntry* entries, std::uint64_t slots, std::uint64_t row_id,
                     FoundRow& found) {
  bool is_taken = false;
  const TableEntry* const entry = slot_of(entries, slots, row_id, is_taken);
  if (!is_taken) return false;
  found.place = RowPlace(entry->place.load(std::memory_order_relaxed));
  found.length = entry->length_plus_one.load(std::memory_order_relaxed) - 1;
  return true;
}

}  // namespace mycel::cache
