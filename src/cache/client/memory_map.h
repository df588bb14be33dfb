// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "platform/error/error.h"
#include "platform/file/file.h"

namespace mycel::cache {

// Shared memory behind a descriptor, mapped; unmapped with the object.
class MemoryMap {
 public:
  enum class Access : bool { Read, Write };

  MemoryMap() = default;
  MemoryMap(MemoryMap&& other) noexcept;
  MemoryMap& operator=(MemoryMap&& other) noexcept;
  ~MemoryMap();

  // `is_wanted_now`: pages are brought in at once instead of when they are touched.
  static platform::Result<MemoryMap> map(int descriptor, std::size_t size, Access access,
                                         bool is_wanted_now);

  std::byte* data() const { return data_; }
  std::size_t size() const { return size_; }

 private:
  MemoryMap(std::byte* data, std::size_t size) : data_(data), size_(size) {}
  std::byte* data_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace mycel::cache
