// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "passes/passes.h"

namespace mycel::passes {
namespace {

std::string after(const char* before, bool (*pass)(ir::Graph&), bool expect_change = true) {
  const auto graph = ir::parse(before);
  EXPECT_EQ(pass(*graph), expect_change);
  EXPECT_NO_THROW(ir::verify(*graph));
  return ir::to_text(*ir::parse(ir::to_text(*graph)));
}

std::string plain(const char* text) { return ir::to_text(*ir::parse(text)); }

TEST(CombineConvolutionTest, WhatFollowsHappensBeforeStoring) {
  EXPECT_EQ(after(R"(graph @g(%1: Float32(1, 1, 4, 4, 16) x, %2: Float32(1, 1, 4, 4, 16) r) {
    %3 = parameter "w" : Float32(16, 16, 1, 1)
    %4 = parameter "m" : Float32(16,)
    %5 = blocked_conv2d(%1, %3, none, none, none, none; block=16) : Float32(1, 1, 4, 4, 16)
    %6 = blocked_batch_norm_inference(%5, none, none, %4, %4) : Float32(1, 1, 4, 4, 16)
    %7 = add(%6, %2) : Float32(1, 1, 4, 4, 16)
    %8 = relu(%7) : Float32(1, 1, 4, 4, 16)
    return %8
  })",
                  combine_convolution),
            plain(R"(graph @g(%1: Float32(1, 1, 4, 4, 16) x, %2: Float32(1, 1, 4, 4, 16) r) {
    %3 = parameter "w" : Float32(16, 16, 1, 1)
    %4 = parameter "m" : Float32(16,)
    %5 = normalization_factors(none, none, %4, %4) : Float32(16,), Float32(16,)
    %6 = blocked_conv2d(%1, %3, none, %5, %5#1, %2; block=16) : Float32(1, 1, 4, 4, 16)
    %7 = relu(%6) : Float32(1, 1, 4, 4, 16)
    return %7
  })"));
}

TEST(CombineConvolutionTest, AValueThatOthersReadIsKept) {
  after(R"(graph @g(%1: Float32(1, 1, 4, 4, 16) x) {
    %2 = parameter "w" : Float32(16, 16, 1, 1)
    %3 = blocked_conv2d(%1, %2, none, none, none, none; block=16) : Float32(1, 1, 4, 4, 16)
    %4 = add(%3, %1) : Float32(1, 1, 4, 4, 16)
    return %4, %3
  })",
        combine_convolution, false);
}

TEST(CombineConvolutionTest, ActivationsStayOutside) {
  after(R"(graph @g(%1: Float32(1, 1, 4, 4, 16) x) {
    %2 = parameter "w" : Float32(16, 16, 1, 1)
    %3 = blocked_conv2d(%1, %2, none, none, none, none; block=16) : Float32(1, 1, 4, 4, 16)
    %4 = relu(%3) : Float32(1, 1, 4, 4, 16)
    %5 = add(%4, %1) : Float32(1, 1, 4, 4, 16)
    return %5
  })",
        combine_convolution, false);
}

constexpr const char* kTraining =
    R"(graph @g(%1: Float32(2, 1, 4, 4, 16) x, %2: Float32(2, 1, 4, 4, 16) d) {
    %3 = parameter "g" : Float32(16,)
    %4 = parameter "b" : Float32(16,)
    %5 = blocked_batch_norm_training(%1, %3, %4, none) : Float32(2, 1, 4, 4, 16), Float32(16,), Float32(16,)
    %6 = relu6(%5) : Float32(2, 1, 4, 4, 16)
    %7 = relu6_gradient0(%5, %2) : Float32(2, 1, 4, 4, 16)
    %8 = blocked_batch_norm_gradient(%7, %1, %3, %5#1, %5#2, none) : Float32(2, 1, 4, 4, 16), Float32(16,), Float32(16,)
    return %6, %8
  })";

TEST(CombineBatchNormTest, TheActivationGoesAlongForwardAndBackward) {
  EXPECT_EQ(after(kTraining, combine_batch_norm),
            plain(R"(graph @g(%1: Float32(2, 1, 4, 4, 16) x, %2: Float32(2, 1, 4, 4, 16) d) {
    %3 = parameter "g" : Float32(16,)
    %4 = parameter "b" : Float32(16,)
    %5 = blocked_batch_norm_training(%1, %3, %4, none; activation='relu6') : Float32(2, 1, 4, 4, 16), Float32(16,), Float32(16,)
    %8 = blocked_batch_norm_gradient(%2, %1, %3, %5#1, %5#2, %4; activation='relu6') : Float32(2, 1, 4, 4, 16), Float32(16,), Float32(16,)
    return %5, %8
  })"));
}

TEST(CombineBatchNormTest, AResidualThatIsKnownIsAdded) {
  const std::string text =
      after(R"(graph @g(%1: Float32(2, 1, 4, 4, 16) x, %2: Float32(2, 1, 4, 4, 16) r) {
    %5 = blocked_batch_norm_training(%1, none, none, none) : Float32(2, 1, 4, 4, 16), Float32(16,), Float32(16,)
    %6 = add(%5, %2) : Float32(2, 1, 4, 4, 16)
    %7 = relu(%6) : Float32(2, 1, 4, 4, 16)
    return %7, %5#1
  })",
            combine_batch_norm);
  EXPECT_NE(text.find("blocked_batch_norm_training(%1, none, none, %2; activation='relu')"),
            std::string::npos)
      << text;
}

TEST(CombineBatchNormTest, AResidualThatComesLaterIsNot) {
  after(R"(graph @g(%1: Float32(2, 1, 4, 4, 16) x, %2: Float32(2, 1, 4, 4, 16) r) {
    %5 = blocked_batch_norm_training(%1, none, none, none) : Float32(2, 1, 4, 4, 16), Float32(16,), Float32(16,)
    %6 = exp(%2) : Float32(2, 1, 4, 4, 16)
    %7 = add(%5, %6) : Float32(2, 1, 4, 4, 16)
    return %7
  })",
        combine_batch_norm, false);
}

TEST(CombineBatchNormTest, ABiasThatWasWrittenIsNotReadAgain) {
  const std::string text = after(
      R"(graph @g(%1: Float32(2, 1, 4, 4, 16) x, %2: Float32(2, 1, 4, 4, 16) d, %9: Float32(16,) n) {
    %4 = parameter "b" : Float32(16,)
    %5 = blocked_batch_norm_training(%1, none, %4, none) : Float32(2, 1, 4, 4, 16), Float32(16,), Float32(16,)
    %6 = relu(%5) : Float32(2, 1, 4, 4, 16)
    %10 = assign(%4, %9) : Float32(16,)
    %7 = relu_gradient0(%6, %2) : Float32(2, 1, 4, 4, 16)
    %8 = blocked_batch_norm_gradient(%7, %1, none, %5#1, %5#2, none) : Float32(2, 1, 4, 4, 16), Float32(16,), Float32(16,)
    return %6, %8
  })",
      combine_batch_norm);
  EXPECT_NE(text.find("relu_gradient0("), std::string::npos) << text;
}

}  // namespace
}  // namespace mycel::passes
