// SPDX-License-Identifier: Apache-2.0
#include "passes/passes.h"

#include <gtest/gtest.h>

#include "operator/registry.h"

namespace mycel::passes {
namespace {

// The text form of `before` after the pass, with the graph still well formed.
std::string after(const char* before, bool (*pass)(ir::Graph&), bool expect_change = true) {
  const auto graph = ir::parse(before);
  EXPECT_EQ(pass(*graph), expect_change);
  EXPECT_NO_THROW(ir::verify(*graph));
  return ir::to_text(*graph);
}

// Node numbers differ; what is compared is the text with numbers given anew.
std::string plain(const char* text) { return ir::to_text(*ir::parse(text)); }

TEST(EraseDeadNodesTest, WholeChainsGo) {
  EXPECT_EQ(ir::to_text(*ir::parse(after(R"(graph @g(%1: Float32(2,) x) {
    %2 = exp(%1) : Float32(2,)
    %3 = neg(%2) : Float32(2,)
    %4 = sin(%1) : Float32(2,)
    return %4
  })",
                                         erase_dead_nodes))),
            plain(R"(graph @g(%1: Float32(2,) x) {
    %4 = sin(%1) : Float32(2,)
    return %4
  })"));
}

TEST(EraseDeadNodesTest, EffectsStay) {
  after(R"(graph @g(%1: Float32(2,) x) {
    %2 = parameter "w" : Float32(2,)
    %3 = assign(%2, %1) : Float32(2,)
    return %1
  })",
        erase_dead_nodes, false);
}

TEST(EraseDeadNodesTest, InnerRegionsAreCleanedToo) {
  const std::string text = after(R"(graph @g(%1: Bool() c, %2: Float32() x) {
    %3 = if(%1) : Float32() {()
      %4 = exp(%2) : Float32()
      return %2
    } {()
      return %2
    }
    return %3
  })",
                                 erase_dead_nodes);
  EXPECT_EQ(text.find("exp"), std::string::npos);
}

TEST(MergeEqualNodesTest, SameComputationHappensOnce) {
  EXPECT_EQ(ir::to_text(*ir::parse(after(R"(graph @g(%1: Float32(2,) x) {
    %2 = exp(%1) : Float32(2,)
    %3 = exp(%1) : Float32(2,)
    %4 = add(%2, %3) : Float32(2,)
    return %4
  })",
                                         merge_equal_nodes))),
            plain(R"(graph @g(%1: Float32(2,) x) {
    %2 = exp(%1) : Float32(2,)
    %4 = add(%2, %2) : Float32(2,)
    return %4
  })"));
}

TEST(MergeEqualNodesTest, AttributesMakeADifference) {
  after(R"(graph @g(%1: Float32(2, 2) x) {
    %2 = reduce_sum(%1; axis=(0,)) : Float32(2,)
    %3 = reduce_sum(%1; axis=(1,)) : Float32(2,)
    %4 = add(%2, %3) : Float32(2,)
    return %4
  })",
        merge_equal_nodes, false);
}

TEST(MergeEqualNodesTest, RandomNumbersAreDrawnEachForItself) {
  after(R"(graph @g() {
    %1 = standard_normal(; shape=(2,)) : Float32(2,)
    %2 = standard_normal(; shape=(2,)) : Float32(2,)
    %3 = add(%1, %2) : Float32(2,)
    return %3
  })",
        merge_equal_nodes, false);
}

TEST(FuseElementwiseTest, AChainBecomesOneFormula) {
  const auto graph = ir::parse(R"(graph @g(%1: Float32(2, 3) x, %2: Float32(3,) y) {
    %3 = mul(%1, %2) : Float32(2, 3)
    %4 = sin(%3) : Float32(2, 3)
    %5 = add(%4, %1) : Float32(2, 3)
    return %5
  })");
  EXPECT_TRUE(fuse_elementwise(*graph));
  EXPECT_NO_THROW(ir::verify(*graph));
  ASSERT_EQ(graph->node_count(), 1U);
  const ir::Node& fused = *graph->body().nodes().front();
  EXPECT_EQ(op::to_string(fused.definition()->scalar), "add(sin(mul(x0, x1)), x0)");
  EXPECT_EQ(fused.operands().size(), 2U);
}

TEST(FuseElementwiseTest, AValueThatOthersReadIsKept) {
  after(R"(graph @g(%1: Float32(2,) x) {
    %2 = exp(%1) : Float32(2,)
    %3 = sin(%2) : Float32(2,)
    return %3, %2
  })",
        fuse_elementwise, false);
}

TEST(FuseElementwiseTest, AStretchedValueIsNotComputedAgain) {
  after(R"(graph @g(%1: Float32(3,) x, %2: Float32(2, 3) y) {
    %3 = exp(%1) : Float32(3,)
    %4 = add(%3, %2) : Float32(2, 3)
    return %4
  })",
        fuse_elementwise, false);
}

TEST(FuseElementwiseTest, HalfPrecisionIsRoundedInBetween) {
  after(R"(graph @g(%1: Float16(3,) x) {
    %2 = exp(%1) : Float16(3,)
    %3 = neg(%2) : Float16(3,)
    return %3
  })",
        fuse_elementwise, false);
}

TEST(SimplifyAlgebraTest, OperatorsThatChangeNothingGo) {
  EXPECT_EQ(ir::to_text(*ir::parse(after(R"(graph @g(%1: Float32(2, 3) x) {
    %2 = reshape(%1; shape=(2, 3)) : Float32(2, 3)
    %3 = cast(%2; dtype=mindspore.float32) : Float32(2, 3)
    %4 = transpose(%3; perm=(1, 0)) : Float32(3, 2)
    %5 = transpose(%4; perm=(1, 0)) : Float32(2, 3)
    %6 = neg(%5) : Float32(2, 3)
    %7 = neg(%6) : Float32(2, 3)
    %8 = exp(%7) : Float32(2, 3)
    return %8
  })",
                                         [](ir::Graph& graph) {
                                           const bool changed = simplify_algebra(graph);
                                           erase_dead_nodes(graph);
                                           return changed;
                                         }))),
            plain(R"(graph @g(%1: Float32(2, 3) x) {
    %2 = exp(%1) : Float32(2, 3)
    return %2
  })"));
}

TEST(SimplifyAlgebraTest, OnlyExactConversionsCancel) {
  // Through a narrower type digits are lost.
  after(R"(graph @g(%1: Float32(2,) x) {
    %2 = cast(%1; dtype=mindspore.float16) : Float16(2,)
    %3 = cast(%2; dtype=mindspore.float32) : Float32(2,)
    return %3
  })",
        simplify_algebra, false);
  const std::string text = after(R"(graph @g(%1: Float16(2,) x) {
    %2 = cast(%1; dtype=mindspore.float32) : Float32(2,)
    %3 = cast(%2; dtype=mindspore.float16) : Float16(2,)
    %4 = exp(%3) : Float16(2,)
    return %4
  })",
                                 simplify_algebra);
  EXPECT_NE(text.find("exp(%1)"), std::string::npos);
}

TEST(SimplifyAlgebraTest, ChainsOfReshapesNeedTheLastOne) {
  const std::string text = after(R"(graph @g(%1: Float32(2, 6) x) {
    %2 = reshape(%1; shape=(3, 4)) : Float32(3, 4)
    %3 = reshape(%2; shape=(12,)) : Float32(12,)
    return %3
  })",
                                 simplify_algebra);
  EXPECT_NE(text.find("reshape(%1; shape=(12,))"), std::string::npos);
}

TEST(FuseElementwiseTest, AReadIsNotMovedPastAWrite) {
  // %3 reads the parameter before it is written; joined with %5 it would read it afterwards.
  const std::string text = after(R"(graph @g(%1: Float32(2,) x) {
    %2 = parameter "w" : Float32(2,)
    %3 = exp(%2) : Float32(2,)
    %4 = assign(%2, %1) : Float32(2,)
    %5 = neg(%3) : Float32(2,)
    return %5
  })",
                                 fuse_elementwise, false);
  EXPECT_NE(text.find("exp"), std::string::npos);
}

TEST(MergeEqualNodesTest, CopiesThatAreWrittenStayApart) {
  after(R"(graph @g(%1: Float32(2,) x, %2: Float32(2,) y) {
    %3 = copy(%1) : Float32(2,)
    %4 = assign(%3, %2) : Float32(2,)
    %5 = copy(%1) : Float32(2,)
    %6 = add(%4, %5) : Float32(2,)
    return %6
  })",
        merge_equal_nodes, false);
}

TEST(HoistUpdatesTest, AnUpdateFollowsWhatItNeeds) {
  EXPECT_EQ(ir::to_text(*ir::parse(after(R"(graph @g(%1: Float32(2,) x) {
    %2 = parameter "w" : Float32(2,)
    %3 = neg(%1) : Float32(2,)
    %4 = exp(%1) : Float32(2,)
    %5 = sin(%4) : Float32(2,)
    %6 = assign(%2, %3) : Float32(2,)
    return %5
  })",
                                         hoist_updates))),
            plain(R"(graph @g(%1: Float32(2,) x) {
    %2 = parameter "w" : Float32(2,)
    %3 = neg(%1) : Float32(2,)
    %6 = assign(%2, %3) : Float32(2,)
    %4 = exp(%1) : Float32(2,)
    %5 = sin(%4) : Float32(2,)
    return %5
  })"));
}

TEST(HoistUpdatesTest, ReadersOfTheOldValueComeFirst) {
  // %5 reads the parameter through a view.
  const char* text = R"(graph @g(%1: Float32(2,) x) {
    %2 = parameter "w" : Float32(2, 1)
    %3 = reshape(%2; shape=(2,)) : Float32(2,)
    %4 = exp(%1) : Float32(2,)
    %5 = mul(%3, %4) : Float32(2,)
    %6 = reshape(%1; shape=(2, 1)) : Float32(2, 1)
    %7 = assign(%2, %6) : Float32(2, 1)
    return %5
  })";
  const std::string moved = after(text, hoist_updates, false);
  EXPECT_LT(moved.find("mul("), moved.find("assign("));
}

TEST(HoistUpdatesTest, WritesOfOneParameterKeepTheirOrder) {
  const std::string text = after(R"(graph @g(%1: Float32(2,) x, %2: Float32(2,) y) {
    %3 = parameter "w" : Float32(2,)
    %4 = exp(%1) : Float32(2,)
    %5 = assign(%3, %4) : Float32(2,)
    %6 = sin(%1) : Float32(2,)
    %7 = assign(%5, %2) : Float32(2,)
    %8 = add(%6, %6) : Float32(2,)
    return %8
  })",
                                 hoist_updates);
  EXPECT_LT(text.find("assign(%3"), text.find("assign(%5"));
}

}  // namespace
}  // namespace mycel::passes
