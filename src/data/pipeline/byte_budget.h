// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <utility>

namespace mycel::data {

class ByteBudget;

// A share of a budget: given back when it goes. Copies take a share of their own.
class Charge {
 public:
  Charge() = default;
  Charge(ByteBudget& budget, std::size_t bytes);
  Charge(const Charge& other);
  Charge(Charge&& other) noexcept
      : budget_(std::exchange(other.budget_, nullptr)), bytes_(std::exchange(other.bytes_, 0)) {}
  Charge& operator=(Charge other) noexcept {
    std::swap(budget_, other.budget_);
    std::swap(bytes_, other.bytes_);
    return *this;
  }
  ~Charge() { release(); }

  std::size_t bytes() const { return bytes_; }
  // Another size than was expected. Nothing happens to an empty share.
  void set(std::size_t bytes);
  // Takes over what the other has.
  void add(Charge other);
  void release();

 private:
  ByteBudget* budget_ = nullptr;
  std::size_t bytes_ = 0;
};

// What the next row, or batch, is expected to need: the largest of late, which fades when it does
// not come again.
class SizeEstimate {
 public:
  bool is_known() const { return known_.load(std::memory_order_relaxed); }
  std::size_t bytes() const { return bytes_.load(std::memory_order_relaxed); }
  void note(std::size_t bytes) {
    const std::size_t before = bytes_.load(std::memory_order_relaxed);
    bytes_.store(bytes >= before ? bytes : before - (before - bytes) / 8,
                 std::memory_order_relaxed);
    known_.store(true, std::memory_order_relaxed);
  }

 private:
  std::atomic<std::size_t> bytes_{0};  // threads may overwrite each other's: it is an estimate
  std::atomic<bool> known_{false};
};

// The memory one running pipeline may hold ahead of its reader, whichever stage holds it. Work is
// charged when it is begun, with what is expected of it, and corrected when the size is known.
// Nobody is refused: whoever works ahead asks whether there is room, and whoever makes what the
// reader waits for does not ask. So that this fits, too, work ahead leaves room for one row.
class ByteBudget {
 public:
  explicit ByteBudget(std::size_t limit) : limit_(limit) {}
  ByteBudget(const ByteBudget&) = delete;
  ByteBudget& operator=(const ByteBudget&) = delete;

  std::size_t limit() const { return limit_; }
  std::size_t charged() const { return charged_.load(std::memory_order_relaxed); }
  // For work ahead.
  std::size_t room() const {
    const std::size_t taken = charged() + row_bytes_.bytes();
    return taken < limit_ ? limit_ - taken : 0;
  }
  bool has_room(std::size_t bytes) const { return bytes > 0 ? bytes <= room() : room() > 0; }
  bool is_full() const { return charged() >= limit_; }
  // What making a row needed, in whichever stage.
  void note_row(std::size_t bytes) { row_bytes_.note(bytes); }

 private:
  friend class Charge;
  const std::size_t limit_;
  std::atomic<std::size_t> charged_{0};
  SizeEstimate row_bytes_;
};

}  // namespace mycel::data
