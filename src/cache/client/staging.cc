// SPDX-License-Identifier: Apache-2.0
#include "cache/client/staging.h"

#include <cerrno>
#include <cstring>

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

namespace mycel::cache {
namespace {

using platform::Error;
using platform::ErrorKind;
using platform::join;

constexpr std::size_t kRowsInBatch = 16384;
constexpr std::uint64_t kPageBytes = 4096;

std::uint64_t rounded(std::uint64_t bytes, std::uint64_t unit) {
  return (bytes + unit - 1) / unit * unit;
}

}  // namespace

Staging::Staging(std::uint64_t half_bytes, Announce announce)
    : announce_(std::move(announce)), half_bytes_(rounded(half_bytes, kPageBytes)) {}

Result<Done> Staging::make_memory(std::uint64_t half_bytes) {
  const std::uint64_t size = half_bytes * 2;
  platform::Descriptor descriptor(
      memfd_create("mycel-cache-staging", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  if (descriptor.number() < 0 || ftruncate(descriptor.number(), static_cast<off_t>(size)) != 0 ||
      fcntl(descriptor.number(), F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW) != 0) {
    return Error(ErrorKind::Runtime, join("no memory for ", size,
                                          " bytes of rows on their way: ", std::strerror(errno)));
  }
  Result<MemoryMap> memory =
      MemoryMap::map(descriptor.number(), size, MemoryMap::Access::Write, false);
  if (!memory) return memory.error();
  if (Result<Done> done = announce_(descriptor.number(), size); !done) return done.error();
  descriptor_ = std::move(descriptor);
  memory_ = std::move(memory).value();
  half_bytes_ = half_bytes;
  return Done{};
}

bool Staging::has_room(std::uint64_t size) const {
  const Half& half = halves_[filling_];
  return half.rows.row_ids.size() < kRowsInBatch && half.used + size <= half_bytes_;
}

Result<Done> Staging::put(std::uint64_t row_id, std::span<const Bytes> parts) {
  std::uint64_t size = 0;
  for (const Bytes part : parts) size += part.size();
  std::unique_lock lock(mutex_);
  // Another thread may have had larger memory made meanwhile.
  const auto is_larger = [&] { return size > half_bytes_; };
  changed_.wait(lock, [&] { return closed_ || (is_larger() ? is_idle() : has_room(size)); });
  if (closed_) return Error(ErrorKind::Runtime, "the cache client is closed");
  if (is_larger() || memory_.size() == 0) {
    const std::uint64_t wanted = is_larger() ? rounded(size, kPageBytes) : half_bytes_;
    if (Result<Done> done = make_memory(wanted); !done) return done.error();
  }
  Half& half = halves_[filling_];
  const std::uint64_t offset = static_cast<std::uint64_t>(filling_) * half_bytes_ + half.used;
  std::byte* target = memory_.data() + offset;
  for (const Bytes part : parts) {
    if (!part.empty()) std::memcpy(target, part.data(), part.size());
    target += part.size();
  }
  half.rows.row_ids.push_back(row_id);
  half.rows.offsets.push_back(offset);
  half.rows.lengths.push_back(size);
  half.used += rounded(size, 16);
  changed_.notify_all();
  return Done{};
}

std::optional<StagedRows> Staging::next(std::stop_token stop) {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, stop, [&] { return closed_ || !halves_[filling_].rows.row_ids.empty(); });
  Half& half = halves_[filling_];
  if (lost_ || half.rows.row_ids.empty()) return std::nullopt;
  sending_ = filling_;
  filling_ = 1 - filling_;
  StagedRows rows = std::move(half.rows);
  half.rows = {};
  changed_.notify_all();  // the other half is free
  return rows;
}

void Staging::done() {
  const std::lock_guard lock(mutex_);
  if (sending_ >= 0) halves_[sending_].used = 0;
  sending_ = -1;
  changed_.notify_all();
}

void Staging::wait_sent() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return lost_ || is_idle(); });
}

void Staging::close(bool is_lost) {
  const std::lock_guard lock(mutex_);
  closed_ = true;
  lost_ = lost_ || is_lost;
  changed_.notify_all();
}

}  // namespace mycel::cache
