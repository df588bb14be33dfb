// SPDX-License-Identifier: Apache-2.0
#include "serving/repository/statistics.h"

#include <gtest/gtest.h>

namespace mycel::serving {
namespace {

using std::chrono::microseconds;

TEST(DurationSumTest, TimesBelowNothingCountAsNone) {
  DurationSum sum;
  sum.add(std::chrono::nanoseconds(-5));
  sum.add(microseconds(2));
  EXPECT_EQ(sum.count(), 2U);
  EXPECT_EQ(sum.nanoseconds(), 2000U);
}

TEST(DurationHistogramTest, ImpossibleTimesAreCountedSomewhere) {
  DurationHistogram histogram;
  histogram.add(std::chrono::nanoseconds(-5));
  histogram.add(std::chrono::nanoseconds(0));
  histogram.add(std::chrono::hours(24 * 365));
  EXPECT_EQ(histogram.count(), 3U);
  EXPECT_EQ(histogram.in_bucket(0), 2U);
  EXPECT_EQ(histogram.in_bucket(DurationHistogram::kBuckets - 1), 1U);
}

TEST(DurationHistogramTest, NothingHasNoQuantile) {
  EXPECT_EQ(DurationHistogram().quantile_seconds(0.5), 0);
}

TEST(DurationHistogramTest, BoundsBelongToTheirBucket) {
  DurationHistogram histogram;
  histogram.add(microseconds(1));
  histogram.add(microseconds(2));
  histogram.add(microseconds(3));
  EXPECT_EQ(histogram.in_bucket(0), 1U);  // up to 1 us
  EXPECT_EQ(histogram.in_bucket(2), 1U);  // up to 2 us
  EXPECT_EQ(histogram.in_bucket(4), 1U);  // up to 4 us
  EXPECT_DOUBLE_EQ(DurationHistogram::upper_seconds(4), 4e-6);
}

TEST(DurationHistogramTest, QuantilesAreBetweenTheBounds) {
  DurationHistogram histogram;
  for (int i = 0; i < 99; ++i) histogram.add(microseconds(100));
  histogram.add(microseconds(10'000));
  EXPECT_GE(histogram.quantile_seconds(0.5), 100e-6);
  EXPECT_LE(histogram.quantile_seconds(0.5), 142e-6);
  EXPECT_LE(histogram.quantile_seconds(0.99), 142e-6);
  EXPECT_GE(histogram.quantile_seconds(1), 10'000e-6);
  EXPECT_NEAR(histogram.sum_seconds(), 0.0199, 1e-9);
}

}  // namespace
}  // namespace mycel::serving
