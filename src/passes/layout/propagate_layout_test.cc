// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "passes/passes.h"

namespace mycel::passes {
namespace {

constexpr std::int64_t kBlock = 16;

std::string after(const char* before, bool expect_change = true) {
  const auto graph = ir::parse(before);
  EXPECT_EQ(propagate_layout(*graph, kBlock), expect_change);
  EXPECT_NO_THROW(ir::verify(*graph));
  return ir::to_text(*ir::parse(ir::to_text(*graph)));
}

std::string plain(const char* text) { return ir::to_text(*ir::parse(text)); }

TEST(PropagateLayoutTest, ValuesBetweenConvolutionsStayBlocked) {
  EXPECT_EQ(after(R"(graph @g(%1: Float32(2, 32, 14, 14) x) {
    %2 = parameter "a" : Float32(32, 32, 3, 3)
    %3 = conv2d(%1, %2, none; pad=(1, 1, 1, 1)) : Float32(2, 32, 14, 14)
    %4 = relu(%3) : Float32(2, 32, 14, 14)
    %5 = conv2d(%4, %2, none; pad=(1, 1, 1, 1)) : Float32(2, 32, 14, 14)
    return %5
  })"),
            plain(R"(graph @g(%1: Float32(2, 32, 14, 14) x) {
    %2 = parameter "a" : Float32(32, 32, 3, 3)
    %3 = to_blocked(%1; block=16) : Float32(2, 2, 14, 14, 16) blocked
    %4 = blocked_conv2d(%3, %2, none, none, none, none; pad=(1, 1, 1, 1), block=16) : Float32(2, 2, 14, 14, 16) blocked
    %5 = relu(%4) : Float32(2, 2, 14, 14, 16) blocked
    %6 = blocked_conv2d(%5, %2, none, none, none, none; pad=(1, 1, 1, 1), block=16) : Float32(2, 2, 14, 14, 16) blocked
    %7 = from_blocked(%6) : Float32(2, 32, 14, 14)
    return %7
  })"));
}

TEST(PropagateLayoutTest, ALoneConvolutionStaysAsItIs) {
  after(R"(graph @g(%1: Float32(2, 32, 14, 14) x) {
    %2 = parameter "a" : Float32(32, 32, 3, 3)
    %3 = conv2d(%1, %2, none; pad=(1, 1, 1, 1)) : Float32(2, 32, 14, 14)
    return %3
  })",
        false);
}

TEST(PropagateLayoutTest, OtherNumbersOfChannelsStayAsTheyAre) {
  after(R"(graph @g(%1: Float32(2, 24, 14, 14) x) {
    %2 = parameter "a" : Float32(24, 24, 3, 3)
    %3 = conv2d(%1, %2, none; pad=(1, 1, 1, 1)) : Float32(2, 24, 14, 14)
    %4 = conv2d(%3, %2, none; pad=(1, 1, 1, 1)) : Float32(2, 24, 14, 14)
    return %4
  })",
        false);
}

TEST(PropagateLayoutTest, TheFirstConvolutionReadsImagesAsTheyAre) {
  const std::string text = after(R"(graph @g(%1: Float32(2, 3, 32, 32) x) {
    %2 = parameter "a" : Float32(16, 3, 3, 3)
    %3 = parameter "b" : Float32(16, 16, 3, 3)
    %4 = conv2d(%1, %2, none; pad=(1, 1, 1, 1)) : Float32(2, 16, 32, 32)
    %5 = conv2d(%4, %3, none; pad=(1, 1, 1, 1)) : Float32(2, 16, 32, 32)
    return %5
  })");
  EXPECT_NE(text.find("blocked_conv2d(%1, "), std::string::npos) << text;
  EXPECT_EQ(text.find("to_blocked"), std::string::npos) << text;
}

TEST(PropagateLayoutTest, WholeBlocksOfATrainingGraphGoAlong) {
  const std::string text =
      after(R"(graph @g(%1: Float32(2, 32, 14, 14) x, %2: Float32(2, 32, 7, 7) d) {
    %3 = parameter "a" : Float32(32, 32, 3, 3)
    %4 = parameter "g" : Float32(32,)
    %5 = parameter "b" : Float32(32,)
    %6 = conv2d(%1, %3, none; pad=(1, 1, 1, 1)) : Float32(2, 32, 14, 14)
    %7 = batch_norm_training(%6, %4, %5) : Float32(2, 32, 14, 14), Float32(32,), Float32(32,)
    %8 = relu(%7#0) : Float32(2, 32, 14, 14)
    %9 = max_pool2d(%8; kernel_size=(2, 2), stride=(2, 2)) : Float32(2, 32, 7, 7), Int32(2, 32, 7, 7)
    %10 = plane_scatter(%2, %9#1; size=(14, 14)) : Float32(2, 32, 14, 14)
    %11 = batch_norm_gradient(%10, %6, %4, %7#1, %7#2) : Float32(2, 32, 14, 14), Float32(32,), Float32(32,)
    %12 = conv2d_weight_gradient(%1, %11#0; kernel_size=(3, 3), pad=(1, 1, 1, 1)) : Float32(32, 32, 3, 3)
    %13 = conv2d_input_gradient(%11#0, %3; input_size=(14, 14), pad=(1, 1, 1, 1)) : Float32(2, 32, 14, 14)
    %14 = reduce_sum(%11#0; axis=(0, 2, 3)) : Float32(32,)
    return %12, %13, %14, %11#1
  })");
  for (const char* name :
       {"blocked_conv2d(", "blocked_batch_norm_training(", "blocked_batch_norm_gradient(",
        "blocked_conv2d_weight_gradient(", "blocked_conv2d_input_gradient(", "blocked_max_pool2d(",
        "blocked_plane_scatter("}) {
    EXPECT_NE(text.find(name), std::string::npos) << name << "\n" << text;
  }
  EXPECT_NE(text.find("Float32(2, 16)"), std::string::npos) << text;  // sums over planes
}

TEST(PropagateLayoutTest, StretchedOperandsGetAnotherShape) {
  const std::string text =
      after(R"(graph @g(%1: Float32(2, 32, 14, 14) x, %2: Float32(2, 32, 1, 1) s) {
    %3 = parameter "a" : Float32(32, 32, 3, 3)
    %4 = conv2d(%1, %3, none; pad=(1, 1, 1, 1)) : Float32(2, 32, 14, 14)
    %5 = mul(%4, %2) : Float32(2, 32, 14, 14)
    %6 = conv2d(%5, %3, none; pad=(1, 1, 1, 1)) : Float32(2, 32, 14, 14)
    return %6
  })");
  EXPECT_NE(text.find("reshape(%2; shape=(2, 2, 1, 1, 16))"), std::string::npos) << text;
}

TEST(PropagateLayoutTest, ElementwiseWorkWithoutConvolutionsStaysPlain) {
  after(R"(graph @g(%1: Float32(2, 32, 14, 14) x) {
    %2 = exp(%1) : Float32(2, 32, 14, 14)
    %3 = add(%2, %1) : Float32(2, 32, 14, 14)
    return %3
  })",
        false);
}

}  // namespace
}  // namespace mycel::passes
