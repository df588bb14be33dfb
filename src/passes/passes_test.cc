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

TEST(ElideCopiesTest, WhatNobodyReadsAgainIsWrittenWhereItLies) {
  EXPECT_EQ(ir::to_text(*ir::parse(after(R"(graph @g(%1: Float32(2,) x) {
    %2 = exp(%1) : Float32(2,)
    %3 = copy(%2) : Float32(2,)
    %4 = assign_add(%3, %1) : Float32(2,)
    return %4
  })",
                                         elide_copies))),
            plain(R"(graph @g(%1: Float32(2,) x) {
    %2 = exp(%1) : Float32(2,)
    %4 = assign_add(%2, %1) : Float32(2,)
    return %4
  })"));
}

TEST(ElideCopiesTest, WhatOthersReadOrOwnIsCopied) {
  after(R"(graph @g(%1: Float32(2,) x) {
    %2 = exp(%1) : Float32(2,)
    %3 = copy(%2) : Float32(2,)
    %4 = assign_add(%3, %1) : Float32(2,)
    %5 = copy(%1) : Float32(2,)
    %6 = assign_add(%5, %2) : Float32(2,)
    return %4, %6
  })",
        elide_copies, false);
}

TEST(ElideCopiesTest, WhatOthersHaveReadBeforeIsWrittenWhereItLies) {
  EXPECT_EQ(ir::to_text(*ir::parse(after(R"(graph @g(%1: Float32(2, 3) x) {
    %2 = exp(%1) : Float32(2, 3)
    %3 = transpose(%2; perm=(1, 0)) : Float32(3, 2)
    %4 = matmul(%2, %3) : Float32(2, 2)
    %5 = copy(%2) : Float32(2, 3)
    %6 = assign_add(%5, %1) : Float32(2, 3)
    return %4, %6
  })",
                                         elide_copies))),
            plain(R"(graph @g(%1: Float32(2, 3) x) {
    %2 = exp(%1) : Float32(2, 3)
    %3 = transpose(%2; perm=(1, 0)) : Float32(3, 2)
    %4 = matmul(%2, %3) : Float32(2, 2)
    %6 = assign_add(%2, %1) : Float32(2, 3)
    return %4, %6
  })"));
}

TEST(ElideCopiesTest, WhatAViewShowsLaterIsCopied) {
  after(R"(graph @g(%1: Float32(2, 3) x) {
    %2 = exp(%1) : Float32(2, 3)
    %3 = transpose(%2; perm=(1, 0)) : Float32(3, 2)
    %4 = copy(%2) : Float32(2, 3)
    %5 = assign_add(%4, %1) : Float32(2, 3)
    %6 = neg(%3) : Float32(3, 2)
    %7 = exp(%1) : Float32(2, 3)
    %8 = transpose(%7; perm=(1, 0)) : Float32(3, 2)
    %9 = copy(%7) : Float32(2, 3)
    %10 = assign_add(%9, %1) : Float32(2, 3)
    return %5, %6, %8, %10
  })",
        elide_copies, false);
}

TEST(HoistUpdatesTest, WhatIsReadOfAValueIsReadBeforeItIsWritten) {
  after(R"(graph @g(%1: Float32(2, 2) x) {
    %2 = exp(%1) : Float32(2, 2)
    %3 = matmul(%1, %1) : Float32(2, 2)
    %4 = matmul(%2, %3) : Float32(2, 2)
    %5 = assign_add(%2, %1) : Float32(2, 2)
    return %4, %5
  })",
        hoist_updates, false);
}

TEST(FuseElementwiseTest, WhatIsWrittenLaterIsReadBefore) {
  after(R"(graph @g(%1: Float32(2, 2) x) {
    %2 = matmul(%1, %1) : Float32(2, 2)
    %3 = neg(%2) : Float32(2, 2)
    %4 = assign_add(%2, %1) : Float32(2, 2)
    %5 = exp(%3) : Float32(2, 2)
    return %5, %4
  })",
        fuse_elementwise, false);
}

TEST(FuseElementwiseTest, AFusedNodeIsOfTheCellAroundItsParts) {
  const std::string text = after(R"(graph @g(%1: Float32(2,) x) {
    %2 = exp(%1) : Float32(2,)  @ "Default/a-A/b-B" "n.py":1
    %3 = neg(%2) : Float32(2,)  @ backward "Default/a-A/c-C" "n.py":2
    return %3
  })",
                                 fuse_elementwise);
  EXPECT_NE(text.find("  @ backward \"Default/a-A\" \"n.py\":2\n"), std::string::npos) << text;
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

TEST(FuseElementwiseTest, NumbersBecomePartOfTheFormula) {
  const auto graph = ir::parse(R"(graph @g(%1: Float32(2,) x) {
    %2 = constant [0.5] : Float64() number
    %3 = mul(%1, %2) : Float32(2,)
    %4 = exp(%3) : Float32(2,)
    %5 = mul(%4, %4) : Float32(2,)
    %6 = constant [3] : Int64() number
    %7 = sub(%5, %6) : Float32(2,)
    return %7
  })");
  EXPECT_TRUE(fuse_elementwise(*graph));
  EXPECT_NO_THROW(ir::verify(*graph));
  const ir::Node& fused = *graph->body().nodes().back();
  EXPECT_EQ(op::to_string(fused.definition()->scalar),
            "sub(mul(exp(mul(x0, 0.5)), exp(mul(x0, 0.5))), 3)");
  EXPECT_EQ(fused.operands().size(), 1U);
  EXPECT_EQ(fused.definition()->program().steps.size(), 7U);  // what is in common, once
}

TEST(FuseElementwiseTest, ANumberThatDecidesTheTypeStaysAnOperand) {
  const auto graph = ir::parse(R"(graph @g(%1: Int32(2,) x) {
    %2 = constant [0.5] : Float64() number
    %3 = mul(%1, %2) : Float32(2,)
    %4 = neg(%3) : Float32(2,)
    return %4
  })");
  fuse_elementwise(*graph);
  EXPECT_NO_THROW(ir::verify(*graph));
  const ir::Node& last = *graph->body().nodes().back();
  EXPECT_EQ(last.type().dtype, tensor::DType::Float32);
  EXPECT_EQ(op::to_string(last.definition()->scalar), "neg(mul(x0, x1))");
  EXPECT_EQ(last.operands().size(), 2U);
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

TEST(HoistUpdatesTest, NumbersAreNotWaitedFor) {
  const std::string text = after(R"(graph @g(%1: Float32(2,) x) {
    %2 = parameter "w" : Float32(2,)
    %3 = parameter "rate" : Float32()
    %4 = neg(%1) : Float32(2,)
    %5 = exp(%1) : Float32(2,)
    %6 = square(%3) : Float32()
    %7 = apply_gradient_descent(%2, %6, %4) : Float32(2,)
    %8 = assign(%3, %6) : Float32()
    return %5
  })",
                                 hoist_updates);
  EXPECT_LT(text.find("square("), text.find("apply_gradient_descent("));
  EXPECT_LT(text.find("apply_gradient_descent("), text.find("exp("));
  EXPECT_LT(text.find("square("), text.find("assign("));
}

TEST(HoistUpdatesTest, AWriteWaitsForAllReaders) {
  // %6 moves up further than %5, which reads the same memory.
  const std::string text = after(R"(graph @g(%1: Float32() x) {
    %2 = parameter "sum" : Float32()
    %3 = exp(%1) : Float32()
    %4 = sin(%1) : Float32()
    %5 = div(%2, %3) : Float32()
    %6 = zeros_like(%2) : Float32()
    %7 = assign(%2, %6) : Float32()
    return %5, %4
  })",
                                 hoist_updates);
  EXPECT_LT(text.find("div("), text.find("assign("));
}

// A step over `sizes.size()` parameters whose gradients are computed in the opposite order.
std::unique_ptr<ir::Graph> step_over(const std::vector<std::int64_t>& sizes) {
  auto graph = std::make_unique<ir::Graph>("step");
  ir::Region& body = graph->body();
  const op::OpDef& update = op::find("update_momentum");
  const op::OpDef& neg = op::find("neg");
  const ir::Output u = graph->add_argument(body, {op::DType::Float32, {}, false}, "u").output();
  std::vector<ir::Output> lists[3];
  std::vector<op::TensorSpec> types;
  op::AttributeList attributes;
  for (const op::AttributeDef& each : update.attributes) attributes.push_back(each.initial);
  tensor::IntList rate_of;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    const op::TensorSpec type{op::DType::Float32, {sizes[i]}, false};
    for (std::vector<ir::Output>& list : {std::ref(lists[0]), std::ref(lists[1])})
      list.push_back(
          graph->add_parameter(body, tensor::Tensor::empty(type.shape, type.dtype), "p").output());
    lists[2].push_back(graph->add_argument(body, type, "x").output());
    rate_of.push_back(0);
  }
  for (std::size_t i = sizes.size(); i-- > 0;)
    lists[2][i] = graph->add_operator(body, neg, {lists[2][i]}, {}, {lists[2][i].type()}).output();
  std::vector<ir::Output> operands{u};
  for (const std::vector<ir::Output>& list : lists)
    operands.insert(operands.end(), list.begin(), list.end());
  for (std::size_t i = 1; i + sizes.size() < operands.size(); ++i)
    types.push_back(operands[i].type());
  operands.push_back(u);
  attributes[static_cast<std::size_t>(update.find_attribute("rate_of"))] = rate_of;
  graph->add_operator(body, update, operands, attributes, types);
  return graph;
}

TEST(SplitUpdatesTest, PartsFollowTheirGradients) {
  const auto graph = step_over({1 << 24, 10, 1 << 24, 20});
  EXPECT_TRUE(split_updates(*graph));
  EXPECT_NO_THROW(ir::verify(*graph));
  EXPECT_TRUE(hoist_updates(*graph));
  EXPECT_NO_THROW(ir::verify(*graph));
  std::vector<std::string> order;
  for (const ir::Node* node : graph->body().nodes()) {
    if (node->kind() == ir::NodeKind::Operator) order.push_back(node->definition()->name);
  }
  const std::vector<std::string> wanted{"neg", "neg", "update_momentum",
                                        "neg", "neg", "update_momentum"};
  EXPECT_EQ(order, wanted);
}

TEST(SplitUpdatesTest, SmallStepsStayWhole) {
  EXPECT_FALSE(split_updates(*step_over({10, 20, 30})));
}

}  // namespace
}  // namespace mycel::passes
