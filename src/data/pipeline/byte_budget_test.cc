// SPDX-License-Identifier: Apache-2.0
#include "data/pipeline/byte_budget.h"

#include <utility>

#include <gtest/gtest.h>

namespace mycel::data {
namespace {

TEST(ByteBudgetTest, NobodyIsRefusedButThereIsNoRoom) {
  ByteBudget budget(100);
  const Charge large(budget, 150);
  EXPECT_TRUE(budget.is_full());
  EXPECT_FALSE(budget.has_room(0));
  EXPECT_EQ(budget.charged(), 150U);
}

TEST(ByteBudgetTest, SharesAreCorrectedJoinedAndGivenBack) {
  ByteBudget budget(100);
  {
    Charge one(budget, 30);
    one.set(10);
    EXPECT_EQ(budget.charged(), 10U);
    Charge two(budget, 20);
    one.add(std::move(two));
    EXPECT_EQ(one.bytes(), 30U);
    const Charge copy = one;
    EXPECT_EQ(budget.charged(), 60U);
    one.release();
    one.set(50);  // there is nothing left of it
    EXPECT_EQ(budget.charged(), 30U);
    EXPECT_TRUE(budget.has_room(70));
    EXPECT_FALSE(budget.has_room(71));
  }
  EXPECT_EQ(budget.charged(), 0U);
}

TEST(ByteBudgetTest, AnEmptyShareTakesOverAnother) {
  ByteBudget budget(100);
  Charge none;
  none.set(50);
  EXPECT_EQ(budget.charged(), 0U);
  none.add(Charge(budget, 5));
  EXPECT_EQ(budget.charged(), 5U);
  none = Charge();
  EXPECT_EQ(budget.charged(), 0U);
}

TEST(ByteBudgetTest, WorkAheadLeavesRoomForOneRow) {
  ByteBudget budget(100);
  budget.note_row(30);
  EXPECT_EQ(budget.room(), 70U);
  const Charge ahead(budget, 70);
  EXPECT_FALSE(budget.has_room(1));
  EXPECT_FALSE(budget.is_full());
}

TEST(SizeEstimateTest, TheLargestOfLateFades) {
  SizeEstimate estimate;
  EXPECT_FALSE(estimate.is_known());
  estimate.note(8000);
  estimate.note(0);
  EXPECT_EQ(estimate.bytes(), 7000U);
  for (int i = 0; i < 100; ++i) estimate.note(1000);
  EXPECT_LT(estimate.bytes(), 1100U);
  estimate.note(5000);
  EXPECT_EQ(estimate.bytes(), 5000U);
}

}  // namespace
}  // namespace mycel::data
