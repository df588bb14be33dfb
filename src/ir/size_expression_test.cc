// SPDX-License-Identifier: Apache-2.0
#include "ir/size_expression.h"

#include <limits>

#include <gtest/gtest.h>

namespace mycel::ir {
namespace {

SizeNumber whole(std::int64_t value) { return SizeNumber::of(value); }

TEST(SizeExpressionTest, DivisionIsPythons) {
  EXPECT_EQ(apply(SizeOperation::FloorDivide, whole(-7), whole(2))->whole, -4);
  EXPECT_EQ(apply(SizeOperation::Modulo, whole(-7), whole(2))->whole, 1);
  EXPECT_EQ(apply(SizeOperation::Modulo, whole(7), whole(-2))->whole, -1);
  EXPECT_EQ(apply(SizeOperation::FloorDivide, whole(8), whole(-2))->whole, -4);
  EXPECT_DOUBLE_EQ(apply(SizeOperation::Divide, whole(7), whole(2))->real, 3.5);
  EXPECT_TRUE(apply(SizeOperation::Divide, whole(4), whole(2))->is_real);
}

TEST(SizeExpressionTest, WhatDoesNotFitIsNothing) {
  const std::int64_t most = std::numeric_limits<std::int64_t>::max();
  EXPECT_FALSE(apply(SizeOperation::Add, whole(most), whole(1)));
  EXPECT_FALSE(apply(SizeOperation::Multiply, whole(most), whole(2)));
  EXPECT_FALSE(apply(SizeOperation::FloorDivide, whole(1), whole(0)));
  EXPECT_FALSE(apply(SizeOperation::Divide, whole(1), whole(0)));
  EXPECT_FALSE(apply(SizeOperation::Divide, whole(most), whole(3)));
  EXPECT_FALSE(apply(SizeOperation::FloorDivide, SizeNumber::of(1.5), whole(1)));
  EXPECT_FALSE(compare(SizeComparison::Less, whole(most), SizeNumber::of(1.5)));
}

TEST(SizeExpressionTest, LengthsAreReadWhenItIsEvaluated) {
  SizeExpression sum;
  sum.operation = SizeOperation::Add;
  sum.a = length_of(0, 1);
  sum.b = number_size(whole(3));
  for (const std::int64_t length : {2, 5}) {
    const std::vector<Tensor> values = {Tensor::empty({4, length}, tensor::DType::Float32)};
    EXPECT_EQ(evaluate(sum, values)->whole, length + 3);
  }
  EXPECT_FALSE(evaluate(sum, std::span<const Tensor>()));
}

TEST(SizeExpressionTest, Comparisons) {
  EXPECT_TRUE(*compare(SizeComparison::Less, whole(2), SizeNumber::of(2.5)));
  EXPECT_FALSE(*compare(SizeComparison::GreaterEqual, whole(2), whole(3)));
  EXPECT_TRUE(*compare(SizeComparison::NotEqual, whole(2), whole(3)));
}

}  // namespace
}  // namespace mycel::ir
