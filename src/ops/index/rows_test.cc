// SPDX-License-Identifier: Apache-2.0
#include "ops/index/rows.h"

#include <cmath>
#include <limits>
#include <random>

#include <gtest/gtest.h>

#include "ops/index/sort_keys.h"
#include "platform/thread/parallel_for.h"

namespace mycel::ops {
namespace {

std::vector<float> scattered(int threads, Combine combine) {
  platform::set_compute_threads(threads);
  const RowPlan plan{1, 1, 50, 32, 4000};
  std::mt19937 generator(7);
  std::vector<std::int64_t> positions(static_cast<std::size_t>(plan.count));
  for (std::int64_t& position : positions)
    position = static_cast<std::int64_t>(generator() % 51) - 1;
  std::vector<float> rows(static_cast<std::size_t>(plan.count * plan.inner));
  for (float& value : rows) value = static_cast<float>(generator()) * 1e-9F;
  std::vector<float> table(static_cast<std::size_t>(plan.span * plan.inner), 0.5F);
  scatter_rows(plan, combine, DType::Float32, rows.data(), positions.data(), table.data());
  return table;
}

TEST(ScatterRowsTest, ResultDoesNotDependOnTheNumberOfThreads) {
  const int before = platform::compute_threads();
  for (const Combine combine : {Combine::Update, Combine::Add, Combine::Mul, Combine::Max}) {
    EXPECT_EQ(scattered(1, combine), scattered(4, combine));
  }
  platform::set_compute_threads(before);
}

TEST(ScatterRowsTest, HalfSumsDoNotStall) {
  const RowPlan plan{1, 1, 1, 1, 4096};
  const std::vector<std::int64_t> positions(4096, 0);
  const std::vector<Float16> rows(4096, Float16(1.0F));
  Float16 sum(0.0F);
  scatter_rows(plan, Combine::Add, DType::Float16, rows.data(), positions.data(), &sum);
  EXPECT_EQ(static_cast<float>(sum), 4096.0F);  // one by one it would stop at 2048
}

TEST(GatherRowsTest, NegativePositionsGiveZeros) {
  const RowPlan plan{1, 1, 3, 2, 3};
  const float table[] = {1, 2, 3, 4, 5, 6};
  const std::int64_t positions[] = {2, -1, 0};
  float rows[6];
  gather_rows(plan, DType::Float32, table, positions, rows);
  EXPECT_EQ(std::vector<float>(rows, rows + 6), (std::vector<float>{5, 6, 0, 0, 1, 2}));
}

TEST(SortKeyTest, OrdersLikeNumbersWithNanLast) {
  const float inf = std::numeric_limits<float>::infinity();
  const float rising[] = {-inf, -2.5F, -1e-30F, 0.0F, 1e-30F, 7.0F, inf, std::nanf("")};
  for (std::size_t i = 1; i < std::size(rising); ++i) {
    EXPECT_LT(SortKey<float>::of(rising[i - 1], false), SortKey<float>::of(rising[i], false));
    EXPECT_GT(SortKey<float>::of(rising[i - 1], true), SortKey<float>::of(rising[i], true));
  }
  EXPECT_EQ(SortKey<float>::of(-0.0F, false), SortKey<float>::of(0.0F, false));
  EXPECT_LT(SortKey<std::int8_t>::of(-1, false), SortKey<std::int8_t>::of(0, false));
  EXPECT_LT(SortKey<std::int64_t>::of(INT64_MIN, false),
            SortKey<std::int64_t>::of(INT64_MAX, false));
}

}  // namespace
}  // namespace mycel::ops
