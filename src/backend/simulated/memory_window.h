// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <map>
#include <mutex>

namespace mycel::backend {

// The memory of one pretend device. Addresses handed out lie in a range the host may not touch, so
// that a forgotten copy faults at once; the bytes themselves lie in a second range of equal size.
// Thread-safe.
class MemoryWindow {
 public:
  explicit MemoryWindow(std::size_t bytes);
  MemoryWindow(const MemoryWindow&) = delete;
  MemoryWindow& operator=(const MemoryWindow&) = delete;
  ~MemoryWindow();

  void* allocate(std::size_t bytes);  // null: no room left
  void release(void* address);
  std::size_t used_bytes() const;
  bool contains(const void* address) const;
  // Where the bytes of a device address really are. RuntimeError unless all `bytes` from there on
  // lie in one block that is allocated.
  void* host_view(const void* address, std::size_t bytes) const;

 private:
  std::size_t bytes_;
  char* front_ = nullptr;  // never readable
  char* back_ = nullptr;
  mutable std::mutex mutex_;                 // guards what follows
  std::map<std::size_t, std::size_t> used_;  // offset -> bytes
  std::map<std::size_t, std::size_t> free_;
};

}  // namespace mycel::backend
