// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace mycel::platform {

// Looks after memory that a file is mapped to. When somebody cuts the file short, the pages beyond
// its new end are gone, and touching one of them would end the process with SIGBUS. As long as the
// guard lives, such pages read as zeros instead, and the guard knows: whoever used the memory asks
// afterwards whether it was whole. Faults elsewhere go to whoever handled them before.
class MappingGuard {
 public:
  MappingGuard() = default;
  MappingGuard(const void* data,
               std::size_t bytes);  // of whole pages, the last one may be partly used
  MappingGuard(MappingGuard&& other) noexcept;
  MappingGuard& operator=(MappingGuard&& other) noexcept;
  ~MappingGuard();
  bool is_damaged() const;

  struct Slot;

 private:
  void release();
  Slot* slot_ = nullptr;
};

// Pages that were replaced so far, in all mappings: cheap to ask when nothing is expected.
std::uint64_t mapping_damages();

}  // namespace mycel::platform
