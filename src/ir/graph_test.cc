// SPDX-License-Identifier: Apache-2.0
#include "ir/graph.h"

#include <gtest/gtest.h>

#include "platform/error/error.h"

namespace mycel::ir {
namespace {

constexpr char kStraight[] = R"(graph @straight(%1: Float32(2, 3) x, %2: Float32(3,) y) {
  %3 = add(%1, %2) : Float32(2, 3)
  %4 = constant [0.5, 2.0, 1.0] : Float32(3,)
  %5 = mul(%3, %4) : Float32(2, 3)
  %6 = reduce_sum(%5; axis=(1,), keep_dims=True) : Float32(2, 1)
  return %6, %3
}
)";

constexpr char kBranch[] = R"(graph @branch(%1: Float32() x) {
  %2 = constant [0.0] : Float32()
  %3 = greater(%1, %2) : Bool()
  %4 = if(%3) : Float32() {()
    %5 = exp(%1) : Float32()
    return %5
  } {()
    return %2
  }
  return %4
}
)";

constexpr char kLoop[] = R"(graph @loop(%1: Float32() x) {
  %2 = while(%1) : Float32() {(%3: Float32())
    %4 = constant [10.0] : Float32()
    %5 = less(%3, %4) : Bool()
    return %5
  } {(%6: Float32())
    %7 = add(%6, %6) : Float32()
    return %7
  }
  return %2
}
)";

constexpr char kFused[] = R"(graph @fused(%1: Float32(2, 3) x, %2: Float64() number y) {
  %3 = fused "exp reduce_sum div"(%1, %2) : Float32(2, 3), Float32(2, 1) {(%4: Float32(2, 3), %5: Float64() number)
    %6 = constant [2] : Int64() number
    %7 = mul(%4, %6) : Float32(2, 3)
    %8 = reduce_sum(%7; axis=(1,), keep_dims=True) : Float32(2, 1)
    %9 = div(%7, %8) : Float32(2, 3)
    return %9, %8
  }  @ backward "net.py":3
  return %3#0, %3#1
}
)";

constexpr char kOrigins[] = R"(graph @step of a net(%1: Float32(2,) x) {
  %2 = square(%1) : Float32(2,)  @ "Default/fc-Dense" "net.py":12
  %3 = mul(%2, %1) : Float32(2,)  @ backward "Default/fc-Dense" "net.py":12
  %4 = add(%3, %1) : Float32(2,)  @ update "Default/optimizer-SGD"
  %5 = add(%4, %1) : Float32(2,)  @ communication
  %6 = add(%5, %1) : Float32(2,)  @ "net.py":13
  %7 = add(%6, %1) : Float32(2,)
  return %7
}
)";

Node& first_node(Graph& graph) { return *graph.body().nodes().front(); }

std::string problems_of(const Graph& graph) {
  try {
    verify(graph);
  } catch (const platform::Error& error) {
    return error.message();
  }
  return {};
}

TEST(GraphTest, WhatIsFusedReadsItsArgumentsAlone) {
  const auto graph = parse(kFused);
  EXPECT_EQ(problems_of(*graph), "");
  EXPECT_FALSE(graph->has_inner_regions());
  Region& inner = first_node(*graph).region(0);
  Node& mul = **std::next(inner.nodes().begin());
  mul.set_operand(0, graph->body().arguments()[0]->output());
  EXPECT_NE(problems_of(*graph).find("reads a value from outside"), std::string::npos);
  mul.set_operand(0, inner.arguments()[0]->output());
  inner.set_results({mul.output(), mul.output()});
  EXPECT_NE(problems_of(*graph).find("result 1 has another type"), std::string::npos);
}

TEST(GraphTest, WhatIsFusedHasNoEffects) {
  const auto graph = parse(R"(graph @g(%1: Float32(2,) x) {
    %2 = fused "assign_add"(%1) : Float32(2,) {(%3: Float32(2,))
      %4 = assign_add(%3, %3) : Float32(2,)
      return %4
    }
    return %2
  })");
  EXPECT_NE(problems_of(*graph).find("has effects"), std::string::npos);
}

TEST(GraphTest, AFusedNodeIsErasedAsAWhole) {
  const auto graph = parse(kFused);
  graph->body().set_results({graph->body().arguments()[0]->output()});
  graph->erase(first_node(*graph));
  EXPECT_EQ(graph->node_count(), 0U);
  EXPECT_TRUE(graph->body().arguments()[0]->users().empty());
}

TEST(GraphTest, TextReadsBackAsItWasWritten) {
  for (const char* text : {kStraight, kBranch, kLoop, kFused}) {
    const auto graph = parse(text);
    EXPECT_NO_THROW(verify(*graph));
    const std::string printed = to_text(*graph);
    EXPECT_EQ(to_text(*parse(printed)), printed) << printed;
  }
}

TEST(GraphTest, NodesSayWhatOfTheProgramTheyAre) {
  const auto graph = parse(kOrigins);
  EXPECT_EQ(to_text(*graph), kOrigins);
  EXPECT_EQ(graph->name(), "step of a net");
  std::vector<Node*> nodes(graph->body().nodes().begin(), graph->body().nodes().end());
  EXPECT_EQ(nodes[0]->phase(), Phase::Forward);
  EXPECT_EQ(nodes[1]->phase(), Phase::Backward);
  EXPECT_EQ(nodes[1]->cell(), "Default/fc-Dense");
  EXPECT_EQ(nodes[1]->position(), (Position{"net.py", 12}));
  EXPECT_EQ(nodes[2]->phase(), Phase::Update);
  EXPECT_EQ(nodes[2]->position(), Position());
  EXPECT_EQ(nodes[3]->phase(), Phase::Communication);
  EXPECT_EQ(nodes[4]->cell(), "");
  EXPECT_EQ(to_text(*graph, Detail::Computation).find('@', 7), std::string::npos);
  EXPECT_THROW(parse("graph @g(%1: Float32() x) {\n  %2 = exp(%1) : Float32()  @ sideways\n"
                     "  return %2\n}\n"),
               platform::Error);
}

TEST(GraphTest, MistakesInTextNameTheLine) {
  try {
    parse("graph @g(%1: Float32() x) {\n  %2 = no_such_operator(%1) : Float32()\n  return %2\n}\n");
    FAIL();
  } catch (const platform::Error& error) {
    EXPECT_NE(error.message().find("line 2"), std::string::npos) << error.message();
    EXPECT_NE(error.message().find("no_such_operator"), std::string::npos);
  }
  EXPECT_THROW(parse("graph @g() {\n  return %1\n}\n"), platform::Error);
  EXPECT_THROW(parse("graph @g("), platform::Error);
}

TEST(GraphTest, VerifierFindsATypeThatInferenceWouldNotGive) {
  const auto graph =
      parse("graph @g(%1: Float32(2, 3) x) {\n  %2 = exp(%1) : Float32(2, 2)\n  return %2\n}\n");
  EXPECT_THROW(verify(*graph), platform::Error);
}

TEST(GraphTest, VerifierFindsAnOperandDefinedLater) {
  const auto graph = parse(kStraight);
  Node& sum = first_node(*graph);
  Node& last = *graph->body().nodes().back();
  sum.set_operand(1, last.output());
  EXPECT_THROW(verify(*graph), platform::Error);
}

TEST(GraphTest, ReplaceReachesReadersAndResults) {
  const auto graph = parse(kStraight);
  Node& sum = first_node(*graph);
  const Output x = graph->body().arguments()[0]->output();
  graph->replace(sum.output(), x);
  EXPECT_TRUE(sum.is_unused());
  EXPECT_EQ(graph->body().results()[1], x);
  graph->erase(sum);
  EXPECT_NO_THROW(verify(*graph));
  EXPECT_EQ(graph->node_count(), 3U);
}

TEST(GraphTest, ReplaceReachesInnerRegions) {
  const auto graph = parse(kBranch);
  Node& zero = first_node(*graph);
  const Output x = graph->body().arguments()[0]->output();
  graph->replace(zero.output(), x);
  EXPECT_TRUE(zero.is_unused());
  EXPECT_NO_THROW(verify(*graph));
}

TEST(GraphTest, AValueThatOnlyAnInnerRegionReturnsIsInUse) {
  const auto graph = parse(kBranch);
  Node& zero = first_node(*graph);
  zero.users(0).front()->set_operand(1, graph->body().arguments()[0]->output());
  EXPECT_FALSE(zero.is_unused());
}

TEST(GraphTest, WhatAnErasedBranchReturnedIsNoLongerInUse) {
  const auto graph = parse(kBranch);
  Node& zero = first_node(*graph);
  Node& branch = *graph->body().nodes().back();
  graph->replace(branch.output(), graph->body().arguments()[0]->output());
  graph->erase(branch);
  EXPECT_FALSE(zero.is_result());
  EXPECT_FALSE(graph->has_inner_regions());
  EXPECT_NO_THROW(verify(*graph));
}

TEST(GraphTest, ErasingANodeInUseIsOurBug) {
  const auto graph = parse(kStraight);
  EXPECT_THROW(graph->erase(first_node(*graph)), platform::Error);
}

TEST(GraphTest, EffectsAreSeenThroughRegions) {
  const auto graph = parse(kBranch);
  Node& branch = *graph->body().nodes().back();
  EXPECT_FALSE(branch.has_effects());
}

}  // namespace
}  // namespace mycel::ir
