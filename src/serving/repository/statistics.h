// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>

namespace mycel::serving {

// How often something happened, and how long it took in all. Of everything here: any thread adds;
// whoever reads sees a state that is at most a moment old.
class DurationSum {
 public:
  void add(std::chrono::nanoseconds time);
  std::uint64_t count() const { return count_.load(std::memory_order_relaxed); }
  std::uint64_t nanoseconds() const { return nanoseconds_.load(std::memory_order_relaxed); }

 private:
  std::atomic<std::uint64_t> count_{0};
  std::atomic<std::uint64_t> nanoseconds_{0};
};

// How long things took: counts in buckets whose bounds double twice per octave, from 1 us on.
class DurationHistogram {
 public:
  static constexpr std::size_t kBuckets = 56;

  void add(std::chrono::nanoseconds time);
  std::uint64_t count() const { return sum_.count(); }
  double sum_seconds() const { return static_cast<double>(sum_.nanoseconds()) * 1e-9; }
  std::uint64_t in_bucket(std::size_t i) const {
    return buckets_[i].load(std::memory_order_relaxed);
  }
  static double upper_seconds(std::size_t bucket);
  // The time that so great a part stayed below; 0: nothing was counted.
  double quantile_seconds(double part) const;

 private:
  std::array<std::atomic<std::uint64_t>, kBuckets> buckets_{};
  DurationSum sum_;
};

// Of one method of one version.
struct MethodStatistics {
  std::atomic<std::uint64_t> requests{0};
  std::atomic<std::uint64_t> instances{0};
  std::atomic<std::uint64_t> failed_instances{0};
  std::atomic<std::uint64_t> succeeded_instances{0};
  std::atomic<std::uint64_t> refused{0};      // requests that were not let in
  std::atomic<std::int64_t> last_request{0};  // let in: milliseconds since 1970
  DurationHistogram latency;                  // of requests, from parsed to answered
  DurationSum succeeded, failed;              // of these; failed: with an instance that did
};

}  // namespace mycel::serving
