// SPDX-License-Identifier: Apache-2.0
// Elementwise operators whose attributes depend on the input's type.
#include <cmath>
#include <limits>

#include "operator/define.h"
#include "operator/onnx_call.h"
#include "operator/stored_call.h"
#include "ops/elementwise/onnx_elements.h"

namespace mycel::ops {
namespace {

double largest_of(DType dtype) {
  if (dtype == DType::Float16) return 65504;
  if (dtype == DType::BFloat16) return 3.3895313892515355e38;
  if (dtype == DType::Float64) return std::numeric_limits<double>::max();
  return static_cast<double>(std::numeric_limits<float>::max());
}

}  // namespace

MYCEL_OP(nan_to_num)
    .names({.primitive = "NanToNum", .function = "nan_to_num", .method = "nan_to_num"})
    .doc("NaN and infinities replaced by numbers.")
    .input("input", "Any tensor.")
    .attribute("nan", "What replaces NaN.", Nullable{AttributeType::Float, 0.0})
    .attribute("posinf", "What replaces infinity; None: the largest number.",
               optional(AttributeType::Float))
    .attribute("neginf", "What replaces minus infinity; None: the smallest number.",
               optional(AttributeType::Float))
    .output("output", "Elementwise result.")
    .scalar(TypeRule::Promote,
            [](Define& op) {
              const Expr x = op.in(0);
              const Expr infinite = select(x > 0, op.attr("posinf"), op.attr("neginf"));
              return select(apply(ScalarOp::IsNan, x), op.attr("nan"),
                            select(apply(ScalarOp::IsInf, x), infinite, x));
            })
    .infer([](InferContext& op) {
      const double largest = largest_of(op.input(0).dtype);
      if (op.is_none("nan")) op.set_attribute("nan", 0.0);
      if (op.is_none("posinf")) op.set_attribute("posinf", largest);
      if (op.is_none("neginf")) op.set_attribute("neginf", -largest);
      infer_elementwise(op);
    })
    .numpy("np.nan_to_num(input, nan=nan or 0, posinf=posinf, neginf=neginf)")
    .sample("special values", {values({4}, {1, NAN, INFINITY, -INFINITY})})
    .sample("given numbers", {values({4}, {1, NAN, INFINITY, -INFINITY})},
            {{"nan", 1.0}, {"posinf", 2.0}, {"neginf", 3.0}});

MYCEL_OP(logit)
    .names({.primitive = "Logit", .function = "logit", .method = "logit"})
    .doc("log(x / (1 - x)), with `input` first kept inside [eps, 1 - eps].")
    .input("input", "Probabilities.", kFloating)
    .attribute("eps", "None or negative: `input` is taken as it is.",
               optional(AttributeType::Float))
    .output("output", "Elementwise result.")
    .scalar(TypeRule::PromoteFloat,
            [](Define& op) {
              const Expr x = op.in(0);
              const Expr eps = op.attr("eps");
              const Expr raised = select(x < eps, eps, x);
              const Expr kept = select(raised > Expr(1) - eps, Expr(1) - eps, raised);
              const Expr chosen = select(eps < 0, x, kept);
              return apply(ScalarOp::Log, chosen / (Expr(1) - chosen));
            })
    .infer([](InferContext& op) {
      if (op.is_none("eps")) op.set_attribute("eps", -1.0);
      infer_elementwise(op);
    })
    .numpy(
        "np.log(input / (1 - input)) if eps is None or eps < 0 else "
        "np.log(np.clip(input, eps, 1 - eps) / (1 - np.clip(input, eps, 1 - eps)))")
    .sample("inside", {uniform({3, 4}, 0.1, 0.9)})
    .sample("kept inside", {values({3}, {0.01, 0.5, 0.99})}, {{"eps", 0.1}});

// Files may leave out what takes the place of NaN.
MYCEL_MINDIR(NanToNum, "x nan posinf neginf") {
  const auto limit = [&](std::string_view name) {
    return call.has(name) ? AttributeValue(call.real(name, 0)) : AttributeValue();
  };
  return call.call(
      "nan_to_num", {call.tensor("x")},
      {{"nan", call.real("nan", 0)}, {"posinf", limit("posinf")}, {"neginf", limit("neginf")}});
}

MYCEL_WRITES_ONNX(logit) {
  auto x = call.typed();
  if (!call.is_none("eps") && call.real("eps") >= 0)
    x = x.add("Clip", {call.real("eps"), 1 - call.real("eps")});
  return (x / (x.number(1) - x)).add("Log");
}

MYCEL_WRITES_ONNX(nan_to_num) {
  const auto x = call.typed();
  if (!is_floating(call.dtype())) return x;
  const double most = largest_of(call.dtype());
  const double high = call.is_none("posinf") ? most : call.real("posinf");
  const double low = call.is_none("neginf") ? -most : call.real("neginf");
  const auto bounded = is_infinite(x, true, false).where(high, x);
  const auto finite = is_infinite(bounded, false, true).where(low, bounded);
  return is_nan(finite).where(call.is_none("nan") ? 0.0 : call.real("nan"), finite);
}

}  // namespace mycel::ops
