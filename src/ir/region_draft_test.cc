// SPDX-License-Identifier: Apache-2.0
#include "ir/region_draft.h"

#include <gtest/gtest.h>

namespace mycel::ir {
namespace {

// What the first fused node of the text is to a device; empty: nothing it could compute.
std::string described(const char* text) {
  const auto graph = parse(text);
  EXPECT_NO_THROW(verify(*graph));
  for (const Node* node : graph->body().nodes()) {
    if (node->kind() != NodeKind::Fused) continue;
    const std::optional<op::RegionProgram> program = region_program(*node);
    return program ? op::to_text(*program) : "";
  }
  return "no fused node";
}

TEST(RegionDraftTest, ValuesAreReadWhereTheyWereComputed) {
  // Without its second axis the sum lies along the other one: every element would need another.
  EXPECT_EQ(described(R"(graph @g(%1: Float32(4, 4) x) {
    %2 = fused "a"(%1) : Float32(4, 4) {(%3: Float32(4, 4))
      %4 = reduce_sum(%3; axis=(1,)) : Float32(4,)
      %5 = sub(%3, %4) : Float32(4, 4)
      return %5
    }
    return %2
  })"),
            "");
}

TEST(RegionDraftTest, ReductionsFoldTheSameAxes) {
  EXPECT_EQ(described(R"(graph @g(%1: Float32(2, 3) x) {
    %2 = fused "a"(%1) : Float32(3,), Float32(2,) {(%3: Float32(2, 3))
      %4 = reduce_sum(%3; axis=(0,)) : Float32(3,)
      %5 = reduce_sum(%3; axis=(1,)) : Float32(2,)
      return %4, %5
    }
    return %2#0
  })"),
            "");
}

TEST(RegionDraftTest, AResultThatIsNoStepIsNotDescribed) {
  EXPECT_EQ(described(R"(graph @g(%1: Float32(2,) x) {
    %2 = fused "a"(%1) : Float32(2,), Float32(2,) {(%3: Float32(2,))
      %4 = exp(%3) : Float32(2,)
      return %4, %3
    }
    return %2#0
  })"),
            "");
}

TEST(RegionDraftTest, ASoftmaxIsOneWalkOverRows) {
  EXPECT_EQ(described(R"(graph @g(%1: Float32(2, 1, 3) x) {
    %2 = fused "a"(%1) : Float32(2, 1, 3), Float32(2, 1) {(%3: Float32(2, 1, 3))
      %4 = reduce_max(%3; axis=(2,), keep_dims=True) : Float32(2, 1, 1)
      %5 = sub(%3, %4) : Float32(2, 1, 3)
      %6 = exp(%5) : Float32(2, 1, 3)
      %7 = reduce_sum(%6; axis=(2,)) : Float32(2, 1)
      %8 = reshape(%7; shape=(2, 1, 1)) : Float32(2, 1, 1)
      %9 = broadcast_to(%8; shape=(2, 1, 3)) : Float32(2, 1, 3)
      %10 = div(%6, %9) : Float32(2, 1, 3)
      return %10, %7
    }
    return %2#0, %2#1
  })"),
            R"(space (2, 3) reduced ( 1 )
argument Float32(2, 1, 3)
0 = load 0 along (0, 2)
1 = max(0) in Float32 : Float32 reduced
2 = formula(0, 1) {input 0, input 1, sub %0 %1} in Float32 : Float32
3 = formula(2) {input 0, exp %0} in Float32 : Float32
4 = sum(3) in Float32 : Float32 reduced
5 = formula(3, 4) {input 0, input 1, div %0 %1} in Float32 : Float32
result 5 : Float32(2, 1, 3)
result 4 : Float32(2, 1)
)");
}

TEST(RegionDraftTest, HalfTypesAreComputedInFloatAndRoundedByEachStep) {
  EXPECT_EQ(described(R"(graph @g(%1: Float16(2, 3) x, %2: Float16(3,) y) {
    %3 = fused "a"(%1, %2) : BFloat16(2, 3), Float16() {(%4: Float16(2, 3), %5: Float16(3,))
      %6 = mul(%4, %5) : Float16(2, 3)
      %7 = reduce_mean(%6; axis=(0, 1)) : Float16()
      %8 = cast(%6; dtype=mindspore.bfloat16) : BFloat16(2, 3)
      return %8, %7
    }
    return %3#0, %3#1
  })"),
            R"(space (2, 3) reduced ( 0 1 )
argument Float16(2, 3)
argument Float16(3,)
0 = load 0 along (0, 1)
1 = load 1 along (-1, 0)
2 = formula(0, 1) {input 0, input 1, mul %0 %1} in Float32 : Float16
3 = mean(2) in Float32 : Float16 reduced
4 = formula(2) {input 0} in Float32 : BFloat16
result 4 : BFloat16(2, 3)
result 3 : Float16()
)");
}

TEST(RegionDraftTest, AttributesAndNumbersAreConstants) {
  EXPECT_EQ(described(R"(graph @g(%1: Int32(2,) x, %2: Float64() number y) {
    %3 = fused "a"(%1, %2) : Float32(2,) {(%4: Int32(2,), %5: Float64() number)
      %6 = constant [3] : Int64() number
      %7 = mul(%4, %6) : Int32(2,)
      %8 = mul(%7, %5) : Float32(2,)
      %9 = leaky_relu(%8; alpha=0.25) : Float32(2,)
      return %9
    }
    return %3
  })")
                .substr(0, 263),
            R"(space (2,) reduced ( )
argument Int32(2,)
argument Float64() number
0 = load 0 along (0,)
1 = load 1 along (-1,)
2 = formula(0) {input 0, constant 3, mul %0 %1} in Int32 : Int32
3 = formula(2, 1) {input 0, input 1, mul %0 %1} in Float32 : Float32
4 = formula(3) {)");
}

TEST(RegionDraftTest, ATensorSeenInTwoWaysIsLoadedTwice) {
  const std::string text = described(R"(graph @g(%1: Float32(3,) x) {
    %2 = fused "a"(%1) : Float32(3, 3) {(%3: Float32(3,))
      %4 = reshape(%3; shape=(3, 1)) : Float32(3, 1)
      %5 = mul(%3, %4) : Float32(3, 3)
      return %5
    }
    return %2
  })");
  EXPECT_NE(text.find("0 = load 0 along (-1, 0)\n1 = load 0 along (0, -1)\n"), std::string::npos)
      << text;
}

TEST(RegionDraftTest, OperatorsSayWhatTheyAre) {
  const auto graph = parse(R"(graph @g(%1: Float32(2, 2) x) {
    %2 = matmul(%1, %1) : Float32(2, 2)
    %3 = reduce_sum(%2; axis=(0,)) : Float32(2,)
    %4 = cast(%3; dtype=mindspore.float16) : Float16(2,)
    %5 = exp(%4) : Float16(2,)
    %6 = transpose(%1; perm=(1, 0)) : Float32(2, 2)
    %7 = reshape(%5; shape=(2, 1)) : Float16(2, 1)
    return %7
  })");
  std::vector<RegionRole> roles;
  std::vector<bool> views;
  for (const Node* node : graph->body().nodes()) {
    roles.push_back(region_role(*node));
    views.push_back(is_plain_view(*node));
  }
  using enum RegionRole;
  EXPECT_EQ(roles, (std::vector<RegionRole>{None, Reduction, Conversion, Formula, None, None}));
  EXPECT_EQ(views, (std::vector<bool>{false, false, false, false, false, true}));
}

}  // namespace
}  // namespace mycel::ir
