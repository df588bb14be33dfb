// SPDX-License-Identifier: Apache-2.0
#include "cache/client/shared_rows.h"

#include <cerrno>
#include <cstring>
#include <ctime>

#include <fcntl.h>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace mycel::cache {

using platform::Error;
using platform::ErrorKind;
using platform::join;

Result<std::shared_ptr<SharedRows>> SharedRows::open(Fetch fetch) {
  std::shared_ptr<SharedRows> rows(new SharedRows(std::move(fetch)));  // NOLINT: private
  Result<SharedPart> part = rows->fetch(FrameKind::AskHeader, 0);
  if (!part) return part.error();
  Result<MemoryMap> header = MemoryMap::map(part.value().descriptor.number(), kHeaderBytes,
                                            MemoryMap::Access::Read, false);
  if (!header) return header.error();
  rows->header_ = std::move(header).value();
  if (Result<Done> done = rows->follow_table(); !done) return done.error();
  return rows;
}

SharedRows::~SharedRows() = default;

void SharedRows::detach() {
  const std::lock_guard lock(mutex_);
  fetch_ = nullptr;
}

Result<SharedPart> SharedRows::fetch(FrameKind kind, std::uint64_t number) {
  if (fetch_ == nullptr) return Error(ErrorKind::Runtime, "the cache client is closed");
  return fetch_(kind, number);
}

StoreState SharedRows::state() const {
  return static_cast<StoreState>(header().state.load(std::memory_order_acquire));
}

std::uint64_t SharedRows::row_count() const {
  return header().rows.load(std::memory_order_acquire);
}

void SharedRows::wait_while(StoreState state, int timeout_ms) const {
  const timespec timeout{timeout_ms / 1000, timeout_ms % 1000 * 1000000L};
  syscall(SYS_futex, &header().state, FUTEX_WAIT, static_cast<std::uint32_t>(state), &timeout,
          nullptr, 0);
}

// Maps the current table if it is another one than ours.
Result<Done> SharedRows::follow_table() {
  const std::lock_guard lock(mutex_);
  const std::uint32_t generation = header().generation.load(std::memory_order_acquire);
  const Table* const known = table_.load(std::memory_order_relaxed);
  if (known != nullptr && known->generation == generation) return Done{};
  Result<SharedPart> part = fetch(FrameKind::AskTable, generation);
  if (!part) return part.error();
  const SharedPart& table = part.value();
  // The server answers with the current one, which may be newer still.
  Result<MemoryMap> memory =
      MemoryMap::map(table.descriptor.number(), table.size, MemoryMap::Access::Read, true);
  if (!memory) return memory.error();
  auto mapped = std::make_unique<Table>();
  mapped->memory = std::move(memory).value();
  mapped->generation = generation;
  if (mapped->slots() == 0 || (mapped->slots() & (mapped->slots() - 1)) != 0)
    return Error(ErrorKind::Runtime, "the cache server sent a table of a strange size");
  table_.store(mapped.get(), std::memory_order_release);
  tables_.push_back(std::move(mapped));
  return Done{};
}

bool SharedRows::look_up(std::uint64_t row_id, FoundRow& found) const {
  const Table* const table = table_.load(std::memory_order_acquire);
  return find_row(table->entries(), table->slots(), row_id, found);
}

Result<std::optional<RowView>> SharedRows::find(std::uint64_t row_id) {
  FoundRow found;
  if (look_up(row_id, found)) return view_of(found);
  const Table* const table = table_.load(std::memory_order_acquire);
  if (header().generation.load(std::memory_order_acquire) == table->generation)
    return std::optional<RowView>();
  if (Result<Done> done = follow_table(); !done) return done.error();
  if (look_up(row_id, found)) return view_of(found);
  return std::optional<RowView>();
}

Result<std::optional<RowView>> SharedRows::view_of(const FoundRow& found) {
  if (found.place.is_on_disk()) return read_from_disk(found);
  Result<const MemoryMap*> segment = this->segment(found.place.number());
  if (!segment) return segment.error();
  const MemoryMap& memory = *segment.value();
  const std::uint64_t offset = found.place.offset();
  if (offset > memory.size() || found.length > memory.size() - offset)
    return Error(ErrorKind::Runtime, "the cache's table names bytes its memory does not have");
  return std::optional(RowView{Bytes(memory.data() + offset, found.length), shared_from_this()});
}

Result<const MemoryMap*> SharedRows::segment(std::uint64_t number) {
  if (number >= kSegmentLimit)
    return Error(ErrorKind::Runtime, "the cache's table names memory that cannot be");
  if (const MemoryMap* known = segments_[number].load(std::memory_order_acquire)) return known;
  const std::lock_guard lock(mutex_);
  if (const MemoryMap* known = segments_[number].load(std::memory_order_relaxed)) return known;
  Result<SharedPart> part = fetch(FrameKind::AskSegment, number);
  if (!part) return part.error();
  Result<MemoryMap> memory = MemoryMap::map(part.value().descriptor.number(), part.value().size,
                                            MemoryMap::Access::Read, true);
  if (!memory) return memory.error();
  segment_maps_.push_back(std::make_unique<const MemoryMap>(std::move(memory).value()));
  const MemoryMap* const mapped = segment_maps_.back().get();
  segments_[number].store(mapped, std::memory_order_release);
  return mapped;
}

void SharedRows::map_ahead(std::stop_token stop) {
  const std::uint64_t count = header().segments.load(std::memory_order_acquire);
  for (std::uint64_t number = 0; number < count && !stop.stop_requested(); ++number)
    if (!segment(number)) return;  // whoever needs it will be told why
}

Result<const SharedRows::SpillFile*> SharedRows::spill_file(std::uint64_t number) {
  if (const SpillFile* known = spill_file_.load(std::memory_order_acquire)) return known;
  const std::lock_guard lock(mutex_);
  if (const SpillFile* known = spill_file_.load(std::memory_order_relaxed)) return known;
  Result<SharedPart> part = fetch(FrameKind::AskSpill, number);
  if (!part) return part.error();
  spill_files_.push_back(
      std::make_unique<const SpillFile>(SpillFile{std::move(part).value().descriptor}));
  spill_file_.store(spill_files_.back().get(), std::memory_order_release);
  return spill_files_.back().get();
}

Result<std::optional<RowView>> SharedRows::read_from_disk(const FoundRow& found) {
  Result<const SpillFile*> file = spill_file(found.place.number());
  if (!file) return file.error();
  const int descriptor = file.value()->descriptor.number();
  const std::shared_ptr<std::byte[]> buffer =
      std::make_shared_for_overwrite<std::byte[]>(found.length);
  for (std::uint64_t done = 0; done < found.length;) {
    const ssize_t count = pread(descriptor, buffer.get() + done, found.length - done,
                                static_cast<off_t>(found.place.offset() + done));
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) {
      return Error(ErrorKind::Runtime, join("a row cannot be read from the cache's spill file: ",
                                            count == 0 ? "it ends early" : std::strerror(errno)));
    }
    done += static_cast<std::uint64_t>(count);
  }
  return std::optional(RowView{Bytes(buffer.get(), found.length), buffer});
}

void SharedRows::will_need(std::span<const std::uint64_t> row_ids) {
  for (const std::uint64_t row_id : row_ids) {
    FoundRow found;
    if (!look_up(row_id, found) || !found.place.is_on_disk()) continue;
    Result<const SpillFile*> file = spill_file(found.place.number());
    if (!file) return;
    posix_fadvise(file.value()->descriptor.number(), static_cast<off_t>(found.place.offset()),
                  static_cast<off_t>(found.length), POSIX_FADV_WILLNEED);
  }
}

}  // namespace mycel::cache
