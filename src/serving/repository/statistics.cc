// SPDX-License-Identifier: Apache-2.0
#include "serving/repository/statistics.h"

#include <algorithm>
#include <cmath>

namespace mycel::serving {

void DurationSum::add(std::chrono::nanoseconds time) {
  count_.fetch_add(1, std::memory_order_relaxed);
  nanoseconds_.fetch_add(static_cast<std::uint64_t>(std::max<std::int64_t>(time.count(), 0)),
                         std::memory_order_relaxed);
}

void DurationHistogram::add(std::chrono::nanoseconds time) {
  const double us = std::max(static_cast<double>(time.count()) * 1e-3, 1.0);
  const auto bucket = static_cast<std::size_t>(std::ceil(2 * std::log2(us)));
  buckets_[std::min(bucket, kBuckets - 1)].fetch_add(1, std::memory_order_relaxed);
  sum_.add(time);
}

double DurationHistogram::upper_seconds(std::size_t bucket) {
  return 1e-6 * std::exp2(static_cast<double>(bucket) / 2);
}

double DurationHistogram::quantile_seconds(double part) const {
  const std::uint64_t all = count();
  if (all == 0) return 0;
  const double wanted = part * static_cast<double>(all);
  double seen = 0;
  for (std::size_t i = 0; i < kBuckets; ++i) {
    seen += static_cast<double>(in_bucket(i));
    if (seen >= wanted) return upper_seconds(i);
  }
  return upper_seconds(kBuckets - 1);
}

}  // namespace mycel::serving
