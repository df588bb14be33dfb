// SPDX-License-Identifier: Apache-2.0
#include "cache/server/row_store.h"

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstring>

#include <fcntl.h>
#include <linux/futex.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "platform/log/log.h"

namespace mycel::cache {
namespace {

using platform::Descriptor;
using platform::Error;
using platform::ErrorKind;
using platform::join;

constexpr std::uint64_t kMegabyte = std::uint64_t{1} << 20;
constexpr std::uint64_t kSmallestSegment = kMegabyte;
constexpr std::uint64_t kLargestSegment = 1024 * kMegabyte;
// Of one that is made while a client waits, and with it all that want something of the cache: on a
// machine under load the system takes seconds to find the pages of a large one.
constexpr std::uint64_t kLargestUrgentSegment = 64 * kMegabyte;
constexpr std::uint64_t kPageBytes = 4096;
constexpr std::uint64_t kFirstSlots = 1024;
constexpr std::uint64_t kCopyBytes = kMegabyte;

std::uint64_t rounded(std::uint64_t bytes, std::uint64_t unit) {
  return (bytes + unit - 1) / unit * unit;
}

// All of it, or false with the reason in errno.
bool write_all(int file, const std::byte* data, std::uint64_t size, std::uint64_t offset) {
  while (size > 0) {
    const ssize_t count = pwrite(file, data, size, static_cast<off_t>(offset));
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return false;
    data += count;
    size -= static_cast<std::uint64_t>(count);
    offset += static_cast<std::uint64_t>(count);
  }
  return true;
}

}  // namespace

Result<std::shared_ptr<const StagingMemory>> StagingMemory::check(Descriptor descriptor,
                                                                  std::uint64_t size) {
  struct stat info {};
  // Only memory knows seals: whatever else it may be, reading it could wait for ever.
  const int seals = fcntl(descriptor.number(), F_GET_SEALS);
  const bool is_memory = seals >= 0 && (seals & F_SEAL_SHRINK) != 0;
  if (!is_memory || fstat(descriptor.number(), &info) != 0 || info.st_size < 0 ||
      static_cast<std::uint64_t>(info.st_size) < size) {
    return Error(ErrorKind::Value, "the memory for rows is not what it is said to be");
  }
  return std::make_shared<const StagingMemory>(std::move(descriptor), size);
}

bool StagingMemory::read(std::uint64_t offset, std::byte* target, std::uint64_t length) const {
  while (length > 0) {
    const ssize_t count = pread(descriptor_.number(), target, length, static_cast<off_t>(offset));
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return false;
    target += count;
    length -= static_cast<std::uint64_t>(count);
    offset += static_cast<std::uint64_t>(count);
  }
  return true;
}

Result<std::shared_ptr<RowStore>> RowStore::make(MemoryBudget& budget, const StoreLimits& limits,
                                                 StoreState state) {
  Result<SharedMemory> header = SharedMemory::make("mycel-cache-header", kHeaderBytes, budget);
  if (!header) return header.error();
  std::shared_ptr<RowStore> store(
      new RowStore(budget, limits, std::move(header).value()));  // NOLINT: private
  store->header().state = static_cast<std::uint32_t>(state);
  const std::lock_guard lock(store->mutex_);
  if (Result<Done> done = store->make_table(kFirstSlots); !done) return done.error();
  return store;
}

// Replaces the table by one of that many slots. Readers of the old one find what it had.
Result<Done> RowStore::make_table(std::uint64_t slots) {
  Result<SharedMemory> made =
      SharedMemory::make("mycel-cache-table", slots * sizeof(TableEntry), budget_);
  if (!made) return made.error();
  auto memory = std::make_shared<SharedMemory>(std::move(made).value());
  auto* const target = reinterpret_cast<TableEntry*>(memory->data());
  for (std::uint64_t at = 0; table_ != nullptr && at < this->slots(); ++at) {
    const TableEntry& from = entries()[at];
    if (from.length_plus_one.load(std::memory_order_relaxed) == 0) continue;
    bool is_taken = false;
    TableEntry* const to = slot_of(target, slots, from.row_id.load(), is_taken);
    to->row_id.store(from.row_id.load(), std::memory_order_relaxed);
    to->place.store(from.place.load(), std::memory_order_relaxed);
    to->length_plus_one.store(from.length_plus_one.load(), std::memory_order_relaxed);
  }
  table_ = std::move(memory);
  header().generation.fetch_add(1, std::memory_order_release);
  return Done{};
}

Result<Room> RowStore::store(const StagingMemory& memory, const StagedRows& rows, bool is_ordered) {
  const std::size_t count = rows.row_ids.size();
  if (rows.offsets.size() != count || rows.lengths.size() != count)
    return Error(ErrorKind::Value, "a batch of rows without the place of each");
  const std::lock_guard lock(mutex_);
  for (std::size_t k = 0; k < count && room_ == Room::Enough; ++k) {
    const std::uint64_t offset = rows.offsets[k];
    const std::uint64_t length = rows.lengths[k];
    if (offset > memory.size() || length > memory.size() - offset)
      return Error(ErrorKind::Value, "a row that lies outside of the memory for rows");
    if (is_ordered && rows.row_ids[k] != header().rows.load(std::memory_order_relaxed))
      return Error(ErrorKind::Value, "rows of a build that are not in order");
    FoundRow found;
    if (find_row(entries(), slots(), rows.row_ids[k], found)) continue;
    Result<Room> room = store_row(memory, rows.row_ids[k], offset, length);
    if (!room) return room.error();
    room_ = room.value();
  }
  return room_;
}

Result<Room> RowStore::store_row(const StagingMemory& memory, std::uint64_t row_id,
                                 std::uint64_t offset, std::uint64_t length) {
  const std::uint64_t rows = header().rows.load(std::memory_order_relaxed);
  if (rows + 1 > slots() / 4 * 3 && !make_table(slots() * 2)) return Room::NoMemory;
  const std::uint64_t bytes = rounded(std::max<std::uint64_t>(length, 1), kRowAlignment);
  Segment* const segment = segment_for(bytes);
  if (segment == nullptr) {
    if (limits_.spill == nullptr) return Room::NoMemory;
    return spill_row(memory, row_id, offset, length);
  }
  if (!memory.read(offset, segment->memory.data() + segment->used, length))
    return Error(ErrorKind::Value, "a row that cannot be read from the memory for rows");
  publish(row_id, RowPlace::in_memory(segments_.size() - 1, segment->used), length);
  segment->used += bytes;
  memory_bytes_ += bytes;
  ++counts_.rows_in_memory;
  counts_.bytes_in_memory += length;
  return Room::Enough;
}

void RowStore::publish(std::uint64_t row_id, RowPlace place, std::uint64_t length) {
  bool is_taken = false;
  TableEntry* const entry = slot_of(entries(), slots(), row_id, is_taken);
  entry->row_id.store(row_id, std::memory_order_relaxed);
  entry->place.store(place.word(), std::memory_order_relaxed);
  entry->length_plus_one.store(length + 1, std::memory_order_release);
  header().rows.fetch_add(1, std::memory_order_release);
}

std::uint64_t RowStore::next_segment_bytes() const {
  std::uint64_t bytes = std::clamp(segment_bytes_ / 8, kSmallestSegment, kLargestSegment);
  if (limits_.memory_bytes > 0)
    bytes = std::min(bytes, limits_.memory_bytes - std::min(memory_bytes_, limits_.memory_bytes));
  return rounded(std::max(bytes, kPageBytes), kPageBytes);
}

// The last segment, if need be a new one, with room for so many bytes. Null: there is no memory.
RowStore::Segment* RowStore::segment_for(std::uint64_t bytes) {
  if (limits_.memory_bytes > 0 && memory_bytes_ + bytes > limits_.memory_bytes) return nullptr;
  const auto has_room = [&](const std::shared_ptr<Segment>& segment) {
    return segment != nullptr && bytes <= segment->memory.size() - segment->used;
  };
  if (!segments_.empty() && has_room(segments_.back())) return segments_.back().get();
  if (segments_.size() >= kSegmentLimit) return nullptr;
  if (!has_room(spare_)) {
    const std::uint64_t least = rounded(bytes, kPageBytes);
    const std::uint64_t urgent = std::min(next_segment_bytes(), kLargestUrgentSegment);
    for (const std::uint64_t wanted : {std::max(urgent, least), least}) {
      Result<SharedMemory> memory = SharedMemory::make("mycel-cache-rows", wanted, budget_);
      if (!memory) continue;
      segments_.push_back(std::make_shared<Segment>(Segment{std::move(memory).value()}));
      segment_bytes_ += wanted;
      header().segments.store(static_cast<std::uint32_t>(segments_.size()));
      return segments_.back().get();
    }
    return nullptr;
  }
  segment_bytes_ += spare_->memory.size();
  segments_.push_back(std::move(spare_));
  header().segments.store(static_cast<std::uint32_t>(segments_.size()));
  return segments_.back().get();
}

bool RowStore::wants_spare() const {
  const std::lock_guard lock(mutex_);
  if (segments_.empty() || spare_ != nullptr || room_ != Room::Enough) return false;
  const Segment& last = *segments_.back();
  const bool is_limit_near =
      limits_.memory_bytes > 0 &&
      memory_bytes_ + (last.memory.size() - last.used) >= limits_.memory_bytes;
  return last.used > last.memory.size() / 2 && !is_limit_near;
}

void RowStore::make_spare() {
  std::uint64_t bytes = 0;
  {
    const std::lock_guard lock(mutex_);
    bytes = next_segment_bytes();
  }
  Result<SharedMemory> memory = SharedMemory::make("mycel-cache-rows", bytes, budget_);
  if (!memory) return;
  auto segment = std::make_shared<Segment>(Segment{std::move(memory).value()});
  const std::lock_guard lock(mutex_);
  if (spare_ == nullptr && room_ == Room::Enough) spare_ = std::move(segment);
}

Result<Room> RowStore::spill_row(const StagingMemory& memory, std::uint64_t row_id,
                                 std::uint64_t offset, std::uint64_t length) {
  if (spill_writer_.number() < 0) {
    Result<Descriptor> file = limits_.spill->make_file();
    if (!file) {
      platform::log_error("cache: ", file.error().message());
      return Room::NoDisk;
    }
    const std::string path = join("/proc/self/fd/", file.value().number());
    spill_reader_ = std::make_shared<Descriptor>(open(path.c_str(), O_RDONLY | O_CLOEXEC));
    if (spill_reader_->number() < 0) return Room::NoDisk;
    spill_writer_ = std::move(file).value();
  }
  std::vector<std::byte> buffer(std::min(length, kCopyBytes));
  for (std::uint64_t done = 0; done < length;) {
    const std::uint64_t size = std::min(length - done, kCopyBytes);
    if (!memory.read(offset + done, buffer.data(), size))
      return Error(ErrorKind::Value, "a row that cannot be read from the memory for rows");
    if (!write_all(spill_writer_.number(), buffer.data(), size, spill_end_ + done)) {
      platform::log_error("cache: the spill folder ", limits_.spill->path().string(),
                          " takes no more rows: ", std::strerror(errno));
      return Room::NoDisk;
    }
    done += size;
  }
  publish(row_id, RowPlace::on_disk(0, spill_end_), length);
  spill_end_ += rounded(length, kPlaceUnit);
  ++counts_.rows_on_disk;
  counts_.bytes_on_disk += length;
  return Room::Enough;
}

Result<LentPart> RowStore::part(FrameKind kind, std::uint64_t number) const {
  const std::shared_ptr<const RowStore> self = shared_from_this();
  const std::lock_guard lock(mutex_);
  if (kind == FrameKind::AskHeader)
    return LentPart{header_memory_.descriptor(), kHeaderBytes, self};
  if (kind == FrameKind::AskTable && table_ != nullptr)
    return LentPart{table_->descriptor(), slots() * sizeof(TableEntry), table_};
  if (kind == FrameKind::AskSegment && number < segments_.size()) {
    const std::shared_ptr<Segment>& segment = segments_[number];
    return LentPart{segment->memory.descriptor(), segment->memory.size(), segment};
  }
  if (kind == FrameKind::AskSpill && number == 0 && spill_reader_ != nullptr)
    return LentPart{spill_reader_->number(), 0, spill_reader_};
  return Error(ErrorKind::Value, "there is no such part of the cache");
}

StoreState RowStore::state() const {
  return static_cast<StoreState>(header().state.load(std::memory_order_acquire));
}

void RowStore::set_state(StoreState state) {
  header().state.store(static_cast<std::uint32_t>(state), std::memory_order_release);
  syscall(SYS_futex, &header().state, FUTEX_WAKE, INT_MAX, nullptr, nullptr, 0);
}

void RowStore::discard() {
  const std::lock_guard lock(mutex_);
  header().segments.store(0);
  segments_.clear();
  spare_.reset();
  segment_bytes_ = 0;
  memory_bytes_ = 0;
  spill_writer_ = Descriptor();
  spill_reader_.reset();
  counts_ = {};
  if (room_ == Room::Enough) room_ = Room::NoMemory;  // nothing comes any more
}

CacheStatistics RowStore::statistics() const {
  const std::lock_guard lock(mutex_);
  return counts_;
}

}  // namespace mycel::cache
