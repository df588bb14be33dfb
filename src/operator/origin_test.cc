// SPDX-License-Identifier: Apache-2.0
#include "operator/origin.h"

#include <gtest/gtest.h>

namespace mycel::op {
namespace {

Origin in_cell(const std::string& path, Phase phase = Phase::Forward) {
  return {phase, std::make_shared<const std::string>(path), nullptr};
}

std::string joined_cell(const std::string& a, const std::string& b) {
  const Origin origin = joined(in_cell(a), in_cell(b));
  return origin.cell ? *origin.cell : "none";
}

TEST(OriginTest, PhasesReadBackByName) {
  for (const Phase phase : {Phase::Forward, Phase::Backward, Phase::Update, Phase::Communication}) {
    EXPECT_EQ(phase_named(name_of(phase)), phase);
  }
  EXPECT_FALSE(phase_named("sideways"));
}

TEST(OriginTest, JoinedCallsBelongToTheInnermostCellAroundBoth) {
  EXPECT_EQ(joined_cell("Default/a-A/b-B", "Default/a-A/c-C"), "Default/a-A");
  EXPECT_EQ(joined_cell("Default/a-A", "Default/a-A/c-C"), "Default/a-A");
  EXPECT_EQ(joined_cell("Default/conv1-Conv2d", "Default/conv10-Conv2d"), "Default");
  EXPECT_EQ(joined_cell("Default/a-A", "Default/a-A"), "Default/a-A");
  EXPECT_EQ(joined_cell("one", "other"), "none");
  EXPECT_EQ(joined(in_cell("Default"), Origin()).cell, nullptr);
}

TEST(OriginTest, JoinedCallsArePartOfThePhaseOfTheLast) {
  EXPECT_EQ(joined(in_cell("Default"), in_cell("Default", Phase::Update)).phase, Phase::Update);
}

TEST(OriginTest, CellsStandInsideWhatGoesOn) {
  EXPECT_EQ(current_origin().cell, nullptr);
  {
    const OriginScope walk({Phase::Backward, nullptr, nullptr});
    const std::size_t depth = enter_cell("Default/fc-Dense", std::nullopt);
    EXPECT_EQ(*current_origin().cell, "Default/fc-Dense");
    EXPECT_EQ(current_origin().phase, Phase::Backward);
    enter_cell("Default/optimizer-SGD", Phase::Update);
    EXPECT_EQ(current_origin().phase, Phase::Update);
    leave_origin(depth);
    EXPECT_EQ(current_origin().phase, Phase::Backward);
    enter_cell("Default/left-open", std::nullopt);  // a scope around takes it along
  }
  EXPECT_EQ(current_origin().cell, nullptr);
  EXPECT_EQ(current_origin().phase, Phase::Forward);
}

}  // namespace
}  // namespace mycel::op
