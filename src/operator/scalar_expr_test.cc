// SPDX-License-Identifier: Apache-2.0
#include "operator/scalar_expr.h"

#include <cmath>
#include <vector>

#include <gtest/gtest.h>

namespace mycel::op {
namespace {

// Evaluates a program over doubles; masks are 0 and 1.
double evaluate(const Expr& expr, const std::vector<double>& inputs) {
  const ExprNode& node = expr.node();
  const auto arg = [&](std::size_t i) { return evaluate(node.args[i], inputs); };
  switch (node.op) {
    case ScalarOp::Input: return inputs[static_cast<std::size_t>(node.index)];
    case ScalarOp::Constant: return node.number;
    case ScalarOp::Neg: return -arg(0);
    case ScalarOp::Square: return arg(0) * arg(0);
    case ScalarOp::Exp: return std::exp(arg(0));
    case ScalarOp::Log: return std::log(arg(0));
    case ScalarOp::Tanh: return std::tanh(arg(0));
    case ScalarOp::Reciprocal: return 1 / arg(0);
    case ScalarOp::Conj: return arg(0);
    case ScalarOp::Add: return arg(0) + arg(1);
    case ScalarOp::Sub: return arg(0) - arg(1);
    case ScalarOp::Mul: return arg(0) * arg(1);
    case ScalarOp::Div: return arg(0) / arg(1);
    case ScalarOp::Pow: return std::pow(arg(0), arg(1));
    case ScalarOp::Greater: return arg(0) > arg(1) ? 1 : 0;
    case ScalarOp::Equal: return arg(0) == arg(1) ? 1 : 0;
    case ScalarOp::And: return arg(0) != 0 && arg(1) != 0 ? 1 : 0;
    case ScalarOp::Select: return arg(0) != 0 ? arg(1) : arg(2);
    default: ADD_FAILURE() << "no evaluation for " << name_of(node.op); return 0;
  }
}

double slope_by_difference(const Expr& expr, std::vector<double> at, std::size_t input) {
  constexpr double kStep = 1e-6;
  std::vector<double> before = at;
  before[input] -= kStep;
  at[input] += kStep;
  return (evaluate(expr, at) - evaluate(expr, before)) / (2 * kStep);
}

TEST(ScalarExprTest, DerivativesAgreeWithDifferences) {
  const Expr x = Expr::input(0);
  const Expr y = Expr::input(1);
  const std::vector<Expr> formulas = {
      x * y + x,
      x / y,
      apply(ScalarOp::Exp, x * y) - y,
      apply(ScalarOp::Tanh, x) * apply(ScalarOp::Log, y),
      apply(ScalarOp::Pow, x, y),
      select(x > y, x * x, y * x),
  };
  const std::vector<double> at = {0.7, 1.3};
  for (const Expr& formula : formulas) {
    for (int input = 0; input < 2; ++input) {
      const Expr slope = differentiate(formula, input);
      ASSERT_TRUE(slope.defined()) << to_string(formula);
      EXPECT_NEAR(evaluate(slope, at),
                  slope_by_difference(formula, at, static_cast<std::size_t>(input)), 1e-6)
          << to_string(formula) << " by input " << input;
    }
  }
}

TEST(ScalarExprTest, RoundingAndMasksHaveNoDerivative) {
  const Expr x = Expr::input(0);
  EXPECT_FALSE(differentiate(apply(ScalarOp::Floor, x), 0).defined());
  EXPECT_FALSE(differentiate(x > Expr(0), 0).defined());
  EXPECT_FALSE(differentiate(x * x, 1).defined());
}

TEST(ScalarExprTest, FlattenComputesCommonPartsOnce) {
  const Expr x = Expr::input(0);
  const Expr twice = apply(ScalarOp::Exp, x) + apply(ScalarOp::Exp, x);
  const ScalarProgram program = flatten(twice);
  EXPECT_EQ(program.steps.size(), 3U);  // x, exp, add
  EXPECT_EQ(program.steps.back().op, ScalarOp::Add);
  EXPECT_EQ(program.input_count, 1);
}

TEST(ScalarExprTest, ZeroAndMinusZeroAreTwoConstants) {
  const Expr x = Expr::input(0);
  EXPECT_EQ(flatten(x * 0.0 + x * -0.0).steps.size(), 6U);
  EXPECT_EQ(flatten(x * 0.5 + x * 0.5).steps.size(), 4U);
}

TEST(ScalarExprTest, InputsReadAreThoseInTheFormula) {
  EXPECT_EQ(inputs_read(Expr::input(2) * Expr(3)), 4U);
  // d(x * y)/dx reads y only: x need not be kept for backward.
  EXPECT_EQ(inputs_read(differentiate(Expr::input(0) * Expr::input(1), 0)), 2U);
}

TEST(ScalarExprTest, WrongArgumentCountIsOurBug) {
  EXPECT_THROW(Expr::make(ScalarOp::Add, {Expr(1)}), std::exception);
}

}  // namespace
}  // namespace mycel::op
