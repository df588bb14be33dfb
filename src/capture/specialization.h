// SPDX-License-Identifier: Apache-2.0
// One kind of call of a captured function, and what is known about it.
#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "capture/guard.h"
#include "capture/recorder.h"
#include "capture/signature.h"
#include "capture/trace.h"
#include "device/current.h"

namespace mycel::capture {

// A number that any thread may change, and that order nothing else. Copies go on from what it was.
class Counter {
 public:
  explicit Counter(std::uint64_t value = 0) : value_(value) {}
  Counter(const Counter& other) : value_(other.get()) {}
  Counter& operator=(const Counter& other) {
    set(other.get());
    return *this;
  }
  std::uint64_t get() const { return value_.load(std::memory_order_relaxed); }
  void set(std::uint64_t value) { value_.store(value, std::memory_order_relaxed); }
  void add_one() { value_.fetch_add(1, std::memory_order_relaxed); }

 private:
  std::atomic<std::uint64_t> value_;
};

// Never changes once a cache has published it, but for the counters and the tree of ways, which
// guard themselves. Whoever learns more publishes a version that takes its place. A way is added to
// the tree when the version with its conditions has been published, and bears that one's number: a
// call that has checked an older version does not see it.
struct Specialization {
  explicit Specialization(std::shared_ptr<const Signature> kind) : signature(std::move(kind)) {}

  std::shared_ptr<const Signature> signature;  // one object in all versions
  std::uint64_t publication = 0;
  std::shared_ptr<Ways> ways;  // null: such calls run eagerly
  WrittenMemory memory;
  Guards guards;
  std::shared_ptr<const Guard> verify;  // asked when something has changed since `verified_at`
  mutable Counter verified_at;
  struct ParameterLayout {
    Tensor parameter;
    tensor::DType dtype;
    tensor::Shape shape;
  };
  std::vector<ParameterLayout> parameters;
  device::Device device = device::current_device();  // where it was captured
  std::string refusal;                               // not empty: such calls run eagerly
  // Made from a recipe that was learnt from this one; null: captured.
  std::shared_ptr<const Specialization> base;
  std::uint64_t fingerprint = 0;                                // of the first graph, as captured
  std::vector<std::pair<Tensor, std::string>> references;       // what that reads where it is
  std::shared_ptr<Counter> runs = std::make_shared<Counter>();  // of all versions

  // Whether what it relies on is still so; asks the guards.
  bool holds() const;
  // Python looks at nothing on its way.
  bool is_one_way() const { return ways && ways->root.end == Step::End::Return; }
  bool is_captured_whole() const { return is_one_way() && !base; }
  std::size_t work() const {
    return ways && ways->root.executable ? ways->root.executable->work() : 0;
  }
  void refuse(std::string reason);
  // Adds what the recorder has found outside to what is compared before a run.
  void take_layout(const Recorder& recorder);
};

}  // namespace mycel::capture
