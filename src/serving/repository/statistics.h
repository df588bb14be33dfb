// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>

namespace mycel::serving {

// How long things took: counts in buckets whose bounds double twice per octave, from 1 us on. Any
// thread adds; whoever reads sees a state that is at most a moment old.
class DurationHistogram {
 public:
  static constexpr std::size_t kBuckets = 56;

  void add(std::chrono::nanoseconds time);
  std::uint64_t count() const { return count_.load(std::memory_order_relaxed); }
  double sum_seconds() const {
    return static_cast<double>(sum_ns_.load(std::memory_order_relaxed)) * 1e-9;
  }
  std::uint64_t in_bucket(std::size_t i) const {
    return buckets_[i].load(std::memory_order_relaxed);
  }
  static double upper_seconds(std::size_t bucket);
  // The time that so great a part stayed below; 0: nothing was counted.
  double quantile_seconds(double part) const;

 private:
  std::array<std::atomic<std::uint64_t>, kBuckets> buckets_{};
  std::atomic<std::uint64_t> count_{0};
  std::atomic<std::uint64_t> sum_ns_{0};
};

// Of one method of one version.
struct MethodStatistics {
  std::atomic<std::uint64_t> requests{0};
  std::atomic<std::uint64_t> instances{0};
  std::atomic<std::uint64_t> failed_instances{0};
  std::atomic<std::uint64_t> refused{0};  // requests that were not let in
  DurationHistogram latency;              // of requests, from parsed to answered
};

}  // namespace mycel::serving
