// SPDX-License-Identifier: Apache-2.0
#include "runtime/memory_plan.h"

#include <random>

#include <gtest/gtest.h>

namespace mycel::runtime {
namespace {

TEST(MemoryPlanTest, BlocksOfDifferentTimesShareMemory) {
  const MemoryPlan plan = plan_memory({{1000, 0, 1}, {1000, 2, 3}, {1000, 1, 2}});
  EXPECT_EQ(plan.offsets[0], plan.offsets[1]);
  EXPECT_EQ(plan.bytes, 2 * 1024U);
}

TEST(MemoryPlanTest, EmptyBlocksNeedNothing) {
  EXPECT_EQ(plan_memory({}).bytes, 0U);
  EXPECT_EQ(plan_memory({{0, 0, 5}, {0, 1, 2}}).bytes, 0U);
}

TEST(MemoryPlanTest, WhatLivesTogetherNeverOverlaps) {
  std::mt19937 random(7);
  std::vector<Lifetime> blocks;
  for (int i = 0; i < 200; ++i) {
    const int first = static_cast<int>(random() % 100);
    blocks.push_back({random() % 5000, first, first + static_cast<int>(random() % 20)});
  }
  const MemoryPlan plan = plan_memory(blocks);
  for (std::size_t a = 0; a < blocks.size(); ++a) {
    EXPECT_EQ(plan.offsets[a] % 64, 0U);
    EXPECT_LE(plan.offsets[a] + blocks[a].bytes, plan.bytes);
    for (std::size_t b = 0; b < a; ++b) {
      const bool together = blocks[a].first <= blocks[b].last && blocks[b].first <= blocks[a].last;
      const bool apart = plan.offsets[a] + blocks[a].bytes <= plan.offsets[b] ||
                         plan.offsets[b] + blocks[b].bytes <= plan.offsets[a];
      EXPECT_TRUE(!together || apart) << a << " and " << b;
    }
  }
}

}  // namespace
}  // namespace mycel::runtime
