// SPDX-License-Identifier: Apache-2.0
#include "backend/cpu/host_memory.h"

#include <cstdint>
#include <cstdlib>
#include <mutex>
#include <unordered_map>

#include <pthread.h>
#include <sys/mman.h>

namespace mycel::backend {
namespace {

constexpr std::size_t kAlignmentBytes = 64;
constexpr std::size_t kHugePageBytes = std::size_t{2} << 20;
constexpr std::size_t kSharedFromBytes = std::size_t{32} << 10;  // below, pages hardly matter
constexpr std::size_t kSlabBytes = 2 * kHugePageBytes;

#if defined(__SANITIZE_ADDRESS__)
constexpr bool kMapsPages = false;  // the tool watches the edges of blocks that malloc gave
#else
constexpr bool kMapsPages = true;
#endif

std::size_t round_up(std::size_t bytes, std::size_t unit) {
  return bytes == 0 ? unit : (bytes + unit - 1) / unit * unit;
}

// Mapped, not from malloc: what others freed there has small pages already, and keeps them.
void* map_huge_pages(std::size_t alignment, std::size_t bytes) {
  const std::size_t reserved = bytes + alignment;
  void* const mapped =
      mmap(nullptr, reserved, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (mapped == MAP_FAILED) return nullptr;
  auto* const begin = static_cast<char*>(mapped);
  const std::size_t skipped = alignment - reinterpret_cast<std::uintptr_t>(begin) % alignment;
  char* const data = begin + skipped;
  munmap(begin, skipped);
  if (skipped < alignment) munmap(data + bytes, alignment - skipped);
  madvise(data, bytes, MADV_HUGEPAGE);  // where huge pages are off, ordinary ones serve
  return data;
}

// Cuts blocks off slabs, one after another. The pool above hands freed blocks out again, so a slab
// is only ever given back whole, when its last block is.
class SharedSlabs {
 public:
  SharedSlabs() {
    pthread_atfork([] { instance().mutex_.lock(); }, [] { instance().mutex_.unlock(); },
                   [] { instance().mutex_.unlock(); });
  }

  // Never destroyed: tensors of static objects are released while the process ends.
  static SharedSlabs& instance() {
    static SharedSlabs& slabs = *new SharedSlabs();
    return slabs;
  }

  void* allocate(std::size_t bytes) {
    const std::lock_guard guard(mutex_);
    if (current_ == nullptr || used_ + bytes > kSlabBytes) {
      auto* slab = static_cast<char*>(map_huge_pages(kSlabBytes, kSlabBytes));
      if (slab == nullptr) return nullptr;
      if (current_ != nullptr && blocks_in_[current_] == 0) free_slab(current_);
      current_ = slab;
      used_ = 0;
      blocks_in_[slab] = 0;
    }
    void* data = current_ + used_;
    used_ += round_up(bytes, kAlignmentBytes);
    ++blocks_in_[current_];
    return data;
  }

  void release(void* data) {
    const std::lock_guard guard(mutex_);
    char* slab = static_cast<char*>(data) - reinterpret_cast<std::uintptr_t>(data) % kSlabBytes;
    if (--blocks_in_[slab] > 0) return;
    if (slab == current_) {
      used_ = 0;
    } else {
      free_slab(slab);
    }
  }

 private:
  void free_slab(char* slab) {
    blocks_in_.erase(slab);
    munmap(slab, kSlabBytes);
  }

  std::mutex mutex_;
  std::unordered_map<char*, int> blocks_in_;
  char* current_ = nullptr;
  std::size_t used_ = 0;
};

bool shares_pages(std::size_t bytes) {
  return kMapsPages && bytes >= kSharedFromBytes && bytes < kHugePageBytes;
}
bool has_pages(std::size_t bytes) { return kMapsPages && bytes >= kHugePageBytes; }

}  // namespace

void* allocate_host_memory(std::size_t bytes) {
  if (has_pages(bytes)) return map_huge_pages(kHugePageBytes, round_up(bytes, kHugePageBytes));
  if (shares_pages(bytes)) return SharedSlabs::instance().allocate(bytes);
  // Large ones come here where pages are not mapped, and begin where a page would.
  void* data = nullptr;
  const std::size_t alignment = bytes >= kHugePageBytes ? kHugePageBytes : kAlignmentBytes;
  return posix_memalign(&data, alignment, round_up(bytes, kAlignmentBytes)) == 0 ? data : nullptr;
}

void release_host_memory(void* data, std::size_t bytes) {
  if (has_pages(bytes)) {
    munmap(data, round_up(bytes, kHugePageBytes));
  } else if (shares_pages(bytes)) {
    SharedSlabs::instance().release(data);
  } else {
    std::free(data);
  }
}

}  // namespace mycel::backend
