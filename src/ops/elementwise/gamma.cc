// SPDX-License-Identifier: Apache-2.0
// The gamma function's logarithm and its derivatives.
#include <numbers>

#include "operator/define.h"
#include "operator/mindir_call.h"

namespace mycel::ops {
namespace {

// Recurrence up to where the asymptotic series is exact enough, reflection below zero.
Expr trigamma_of(Expr x) {
  const Expr z = select(x < 0, Expr(1) - x, x);
  Expr total = apply(ScalarOp::Square, apply(ScalarOp::Reciprocal, z));
  constexpr int kShift = 6;
  for (int k = 1; k < kShift; ++k) {
    total = total + apply(ScalarOp::Square, apply(ScalarOp::Reciprocal, z + k));
  }
  const Expr r = apply(ScalarOp::Reciprocal, z + kShift);
  const Expr s = apply(ScalarOp::Square, r);
  Expr series = s * (-691.0 / 2730) + 5.0 / 66;
  for (const double coefficient : {-1.0 / 30, 1.0 / 42, -1.0 / 30, 1.0 / 6}) {
    series = s * series + coefficient;
  }
  total = total + r * (r * 0.5 + 1 + s * series);
  const Expr sine = apply(ScalarOp::Sin, x * std::numbers::pi);
  const Expr mirrored =
      Expr(std::numbers::pi * std::numbers::pi) / apply(ScalarOp::Square, sine) - total;
  return select(x < 0, mirrored, total);
}

}  // namespace

MYCEL_OP(lgamma)
    .names({.primitive = "Lgamma", .function = "lgamma", .method = "lgamma"})
    .doc("Logarithm of the absolute value of the gamma function.")
    .input("input", "Any tensor.")
    .output("output", "Elementwise result.")
    .scalar(TypeRule::PromoteFloat, [](Expr x) { return apply(ScalarOp::Lgamma, x); })
    .gradient([](GradientContext& op) {
      op.set_input_gradient(0, op.output_gradient(0) * op.call("digamma", {op.input(0)}));
    })
    .keeps({"input"})
    .sample("plain", {positive({3, 4})})
    .sample("no axes", {positive({})})
    .sample_dtypes(kFloating);

MYCEL_OP(digamma)
    .names({.primitive = "Digamma", .function = "digamma", .method = "digamma"})
    .doc("Derivative of `lgamma`.")
    .input("input", "Any tensor.")
    .output("output", "Elementwise result.")
    .scalar(TypeRule::PromoteFloat, [](Expr x) { return apply(ScalarOp::Digamma, x); })
    .gradient([](GradientContext& op) {
      op.set_input_gradient(0, op.output_gradient(0) * op.call("trigamma", {op.input(0)}));
    })
    .keeps({"input"})
    .sample("plain", {positive({3, 4})})
    .sample("no axes", {positive({})})
    .sample_dtypes(kFloating);

MYCEL_OP(trigamma)
    .doc("Derivative of `digamma`.")
    .input("input", "Any tensor.")
    .output("output", "Elementwise result.")
    .scalar(TypeRule::PromoteFloat, [](Expr x) { return trigamma_of(x); })
    .sample("plain", {positive({3, 4})})
    .sample_dtypes(kFloating);

MYCEL_WRITES_MINDIR(trigamma) {
  const auto x = call.typed();
  const auto order = x.number(Datum(std::int64_t{1}), DType::Int64);
  return order.add("Polygamma", {x}, {.shape = x.shape(), .dtype = x.dtype()});
}

}  // namespace mycel::ops
