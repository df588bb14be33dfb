// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <mutex>
#include <utility>

namespace mycel::cache {

// What the machine, or the container around this process, has.
struct MachineMemory {
  std::uint64_t total_bytes = 0;
  std::function<std::uint64_t()> available_bytes;
};
MachineMemory this_machine();

class MemoryBudget;

// Bytes taken from a budget, given back with the object.
class MemoryShare {
 public:
  MemoryShare() = default;
  MemoryShare(MemoryBudget* budget, std::uint64_t bytes) : budget_(budget), bytes_(bytes) {}
  MemoryShare(MemoryShare&& other) noexcept
      : budget_(std::exchange(other.budget_, nullptr)), bytes_(std::exchange(other.bytes_, 0)) {}
  MemoryShare& operator=(MemoryShare&& other) noexcept {
    std::swap(budget_, other.budget_);
    std::swap(bytes_, other.bytes_);
    return *this;
  }
  ~MemoryShare();
  explicit operator bool() const { return budget_ != nullptr; }

 private:
  MemoryBudget* budget_ = nullptr;
  std::uint64_t bytes_ = 0;
};

// The memory of all caches together: at most a share of the machine's, and never so much that the
// rest of the machine has less left than the remainder of that share.
class MemoryBudget {
 public:
  MemoryBudget(MachineMemory machine, double ratio);

  MemoryShare take(std::uint64_t bytes);  // false: that much is not to be had
  std::uint64_t cap_bytes() const { return cap_bytes_; }
  std::uint64_t used_bytes() const;
  std::uint64_t total_bytes() const { return machine_.total_bytes; }

 private:
  friend class MemoryShare;
  void give_back(std::uint64_t bytes);

  const MachineMemory machine_;
  const std::uint64_t cap_bytes_;
  mutable std::mutex mutex_;  // guards used_bytes_
  std::uint64_t used_bytes_ = 0;
};

}  // namespace mycel::cache
