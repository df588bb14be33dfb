// SPDX-License-Identifier: Apache-2.0
#include "device/pinned.h"

#include <algorithm>
#include <array>
#include <bit>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

namespace mycel::device {
namespace {

constexpr std::size_t kSmallestBytes = 4096;

struct Cache {
  std::mutex mutex;  // guards `free`
  std::map<std::size_t, std::vector<void*>> free;
};

// Never destroyed: tensors held by static objects give their memory back while the process ends.
Cache& cache_of(std::uint8_t backend) {
  static auto& caches = *std::make_unique<std::array<Cache, kMaxBackends>>().release();
  return caches[backend];
}

}  // namespace

Block allocate_pinned(std::uint8_t backend, std::size_t bytes) {
  const std::size_t rounded = std::bit_ceil(std::max(bytes, kSmallestBytes));
  Cache& cache = cache_of(backend);
  {
    const std::lock_guard guard(cache.mutex);
    std::vector<void*>& buffers = cache.free[rounded];
    if (!buffers.empty()) {
      void* const data = buffers.back();
      buffers.pop_back();
      return {data, rounded};
    }
  }
  return {backend_at(backend).allocate_pinned(rounded), rounded};
}

void release_pinned(std::uint8_t backend, const Block& block) {
  Cache& cache = cache_of(backend);
  const std::lock_guard guard(cache.mutex);
  cache.free[block.bytes].push_back(block.data);
}

void empty_pinned_cache(std::uint8_t backend) {
  Cache& cache = cache_of(backend);
  const std::lock_guard guard(cache.mutex);
  for (auto& [bytes, buffers] : cache.free) {
    for (void* data : buffers) backend_at(backend).release_pinned(data, bytes);
  }
  cache.free.clear();
}

}  // namespace mycel::device
