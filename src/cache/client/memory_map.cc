// SPDX-License-Identifier: Apache-2.0
#include "cache/client/memory_map.h"

#include <cerrno>
#include <cstring>
#include <utility>

#include <sys/mman.h>
#include <sys/stat.h>

namespace mycel::cache {

using platform::Error;
using platform::ErrorKind;
using platform::join;
using platform::Result;

MemoryMap::MemoryMap(MemoryMap&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}

MemoryMap& MemoryMap::operator=(MemoryMap&& other) noexcept {
  std::swap(data_, other.data_);
  std::swap(size_, other.size_);
  return *this;
}

MemoryMap::~MemoryMap() {
  if (data_ != nullptr) munmap(data_, size_);
}

Result<MemoryMap> MemoryMap::map(int descriptor, std::size_t size, Access access,
                                 bool is_wanted_now) {
  struct stat info {};
  if (fstat(descriptor, &info) != 0 || static_cast<std::size_t>(info.st_size) < size || size == 0)
    return Error(ErrorKind::Runtime, join("the cache's memory is shorter than ", size, " bytes"));
  const int protection = access == Access::Write ? PROT_READ | PROT_WRITE : PROT_READ;
  void* const data = mmap(nullptr, size, protection, MAP_SHARED, descriptor, 0);
  if (data == MAP_FAILED) {
    return Error(ErrorKind::Runtime, join("the cache's memory (", size,
                                          " bytes) cannot be mapped: ", std::strerror(errno)));
  }
  // Older systems refuse this; then pages come one after the other.
  if (is_wanted_now)
    madvise(data, size, access == Access::Write ? MADV_POPULATE_WRITE : MADV_POPULATE_READ);
  return MemoryMap(static_cast<std::byte*>(data), size);
}

}  // namespace mycel::cache
