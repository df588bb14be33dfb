// SPDX-License-Identifier: Apache-2.0
#include "backend/simulated/memory_window.h"

#include <iterator>

#include <sys/mman.h>

#include "platform/error/error.h"

namespace mycel::backend {
namespace {

using platform::ErrorKind;

constexpr std::size_t kGrainBytes = 256;

char* map_range(std::size_t bytes, int protection) {
  void* range =
      mmap(nullptr, bytes, protection, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  platform::require(range != MAP_FAILED, ErrorKind::Memory,
                    "the simulated device finds no room for ", bytes, " bytes of memory");
  return static_cast<char*>(range);
}

}  // namespace

MemoryWindow::MemoryWindow(std::size_t bytes)
    : bytes_(bytes),
      front_(map_range(bytes, PROT_NONE)),
      back_(map_range(bytes, PROT_READ | PROT_WRITE)) {
  free_[0] = bytes;
}

MemoryWindow::~MemoryWindow() {
  munmap(front_, bytes_);
  munmap(back_, bytes_);
}

void* MemoryWindow::allocate(std::size_t bytes) {
  if (bytes > bytes_) return nullptr;
  const std::size_t rounded =
      bytes == 0 ? kGrainBytes : (bytes + kGrainBytes - 1) / kGrainBytes * kGrainBytes;
  const std::lock_guard lock(mutex_);
  for (auto gap = free_.begin(); gap != free_.end(); ++gap) {
    const auto [offset, room] = *gap;
    if (room < rounded) continue;
    free_.erase(gap);
    if (room > rounded) free_[offset + rounded] = room - rounded;
    used_[offset] = rounded;
    return front_ + offset;
  }
  return nullptr;
}

void MemoryWindow::release(void* address) {
  const auto start = static_cast<std::size_t>(static_cast<char*>(address) - front_);
  const std::lock_guard lock(mutex_);
  const auto block = used_.find(start);
  platform::require(block != used_.end(), ErrorKind::Internal,
                    "memory of the simulated device is released that was not allocated");
  std::size_t offset = start;
  std::size_t bytes = block->second;
  used_.erase(block);
  const auto after = free_.find(offset + bytes);
  if (after != free_.end()) {
    bytes += after->second;
    free_.erase(after);
  }
  const auto next = free_.lower_bound(offset);
  if (next != free_.begin()) {
    const auto before = std::prev(next);
    if (before->first + before->second == offset) {
      offset = before->first;
      bytes += before->second;
    }
  }
  free_[offset] = bytes;
}

std::size_t MemoryWindow::used_bytes() const {
  const std::lock_guard lock(mutex_);
  std::size_t bytes = 0;
  for (const auto& [offset, length] : used_) bytes += length;
  return bytes;
}

bool MemoryWindow::contains(const void* address) const {
  const auto* place = static_cast<const char*>(address);
  return place >= front_ && place < front_ + bytes_;
}

void* MemoryWindow::host_view(const void* address, std::size_t bytes) const {
  platform::require(contains(address), ErrorKind::Runtime,
                    "an address that is not of the simulated device was used as one");
  const auto offset = static_cast<std::size_t>(static_cast<const char*>(address) - front_);
  const std::lock_guard lock(mutex_);
  const auto next = used_.upper_bound(offset);
  const bool inside =
      next != used_.begin() && offset + bytes <= std::prev(next)->first + std::prev(next)->second;
  platform::require(inside, ErrorKind::Runtime, "an access of ", bytes,
                    " bytes reaches memory of the simulated device that is not allocated");
  return back_ + offset;
}

}  // namespace mycel::backend
