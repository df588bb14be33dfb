// SPDX-License-Identifier: Apache-2.0

#include "operator/define.h"
#include "operator/stored_call.h"
#include "operator/writes_both.h"

namespace mycel::ops {

MYCEL_OP(lerp)
    .names({.primitive = "Lerp", .function = "lerp", .method = "lerp"})
    .doc("`input` moved toward `end` by the share `weight`.")
    .input("input", "Any tensor.")
    .input("end", "Tensor.")
    .input("weight", "Tensor or number.")
    .output("output", "Elementwise result.")
    .scalar(TypeRule::PromoteFloat, [](Expr x, Expr y, Expr w) { return x + w * (y - x); })
    .numpy("input + weight * (end - input)")
    .sample("tensor weight", {normal({2, 3}), normal({2, 3}), normal({3})})
    .sample("number weight", {normal({2, 3}), normal({2, 3}), number(0.3)})
    .sample_dtypes(kFloating);

MYCEL_OP(addcmul)
    .names({.primitive = "Addcmul"})
    .doc("`input + value * tensor1 * tensor2`.")
    .input("input", "Any tensor.")
    .input("tensor1", "Tensor.")
    .input("tensor2", "Tensor.")
    .input("value", "Tensor or number.")
    .output("output", "Elementwise result.")
    .scalar(TypeRule::Promote, [](Define& op) { return op.in(0) + op.in(3) * op.in(1) * op.in(2); })
    .numpy("input + value * tensor1 * tensor2")
    .sample("stretched", {normal({2, 3}), normal({2, 3}), normal({3}), number(0.5)})
    .sample_dtypes(kFloating);

MYCEL_OP(addcdiv)
    .names({.primitive = "Addcdiv"})
    .doc("`input + value * tensor1 / tensor2`.")
    .input("input", "Any tensor.")
    .input("tensor1", "Tensor.")
    .input("tensor2", "Tensor.")
    .input("value", "Tensor or number.")
    .output("output", "Elementwise result.")
    .scalar(TypeRule::PromoteFloat,
            [](Define& op) { return op.in(0) + op.in(3) * (op.in(1) / op.in(2)); })
    .numpy("input + value * (tensor1 / tensor2)")
    .sample("stretched", {normal({2, 3}), normal({2, 3}), positive({3}), number(0.5)})
    .sample_dtypes(kFloating);

MYCEL_OP(sub_scaled)
    .doc("`input - alpha * other`.")
    .input("input", "Any tensor.")
    .input("other", "Tensor or number.")
    .input("alpha", "Tensor or number.")
    .output("output", "Elementwise result.")
    .scalar(TypeRule::Promote, [](Expr x, Expr y, Expr alpha) { return x - alpha * y; })
    .numpy("input - alpha * other")
    .sample("stretched", {normal({2, 3}), normal({3}), number(0.5)})
    .sample_dtypes(kFloating);

MYCEL_OP(where)
    .names({.primitive = "Select", .function = "where"})
    .function_aliases({"select"})
    .doc("`input` where the condition holds, `other` elsewhere.")
    .mask_input("condition", "Truth values.")
    .input("input", "Any tensor.")
    .input("other", "Tensor or number.")
    .output("output", "Elementwise result.")
    .scalar(TypeRule::Promote, [](Expr mask, Expr x, Expr y) { return select(mask, x, y); })
    .numpy("np.where(condition, input, other)")
    .traits({.chooses = true})
    .sample("same shape", {mask({3, 4}), normal({3, 4}), normal({3, 4})})
    .sample("stretched", {mask({3, 1}), normal({1, 4}), normal({3, 4})})
    .sample("number", {mask({3, 4}), normal({3, 4}), number(0)})
    .sample_dtypes(kAny);

MYCEL_OP(masked_fill)
    .names({.primitive = "MaskedFill", .function = "masked_fill", .method = "masked_fill"})
    .doc("`value` where the mask holds, `input` elsewhere.")
    .input("input_x", "Any tensor.")
    .mask_input("mask", "Truth values.")
    .input("value", "Number or tensor without axes.")
    .output("output", "Elementwise result.")
    .scalar(TypeRule::First, [](Expr x, Expr mask, Expr value) { return select(mask, value, x); })
    .numpy("np.where(mask, value, input_x)")
    .sample("number", {normal({3, 4}), mask({3, 4}), number(2)})
    .sample("stretched mask", {normal({3, 4}), mask({4}), number(2)})
    .sample_dtypes(kAny);

MYCEL_OP(clamp_below)
    .doc("`min` where `input` is smaller.")
    .input("input", "Any tensor.")
    .input("min", "Lower bound.")
    .output("output", "Elementwise result.")
    .scalar(TypeRule::First, [](Expr x, Expr low) { return select(x < low, low, x); })
    .numpy("np.maximum(input, min)")
    .sample("number", {values({4}, {-2, -0.5, 0.5, 2}), number(-1)})
    .sample_dtypes(kFloating | DTypeSet({DType::Int8, DType::Int16, DType::Int32, DType::Int64}));

MYCEL_OP(clamp_above)
    .doc("`max` where `input` is larger.")
    .input("input", "Any tensor.")
    .input("max", "Upper bound.")
    .output("output", "Elementwise result.")
    .scalar(TypeRule::First, [](Expr x, Expr high) { return select(x > high, high, x); })
    .numpy("np.minimum(input, max)")
    .sample("number", {values({4}, {-2, -0.5, 0.5, 2}), number(1)})
    .sample_dtypes(kFloating | DTypeSet({DType::Int8, DType::Int16, DType::Int32, DType::Int64}));

MYCEL_OP(clamp_between)
    .doc("`input` kept inside [min, max]; `max` wins when the bounds cross.")
    .input("input", "Any tensor.")
    .input("min", "Lower bound.")
    .input("max", "Upper bound.")
    .output("output", "Elementwise result.")
    .scalar(TypeRule::First,
            [](Expr x, Expr low, Expr high) {
              const Expr raised = select(x < low, low, x);
              return select(raised > high, high, raised);
            })
    .numpy("np.minimum(np.maximum(input, min), max)")
    .sample("numbers", {values({4}, {-2, -0.5, 0.5, 2}), number(-1), number(1)})
    .sample("tensors", {normal({2, 3}), constant({3}, -0.5), constant({3}, 0.6)})
    .sample_dtypes(kFloating | DTypeSet({DType::Int8, DType::Int16, DType::Int32, DType::Int64}));

static const OnnxNames onnx_choice{{"Where", "where"}};

MYCEL_ONNX(Clip, "input min max") {
  Value x = call.tensor("input");
  if (call.has("min")) x = call.call("maximum", {x, call.tensor("min")});
  return call.has("max") ? call.call("minimum", {x, call.tensor("max")}) : x;
}

MYCEL_WRITES(sub_scaled) {
  const auto x = call.typed(0);
  const auto y = call.typed(1);
  return x - call.typed(2) * y;
}

MYCEL_WRITES(where) {
  const auto choice = call.input(0, DType::Bool);
  const auto yes = call.typed(1);
  return choice.where(yes, call.typed(2));
}

MYCEL_WRITES(masked_fill) {
  const auto choice = call.input(1, DType::Bool);
  const auto value = call.typed(2);
  return choice.where(value, call.typed(0));
}

MYCEL_WRITES(clamp_below) { return call.typed(0).maximum(call.typed(1)); }
MYCEL_WRITES(clamp_above) { return call.typed(0).minimum(call.typed(1)); }

MYCEL_WRITES(clamp_between) {
  const auto operands = call.inputs(call.dtype());
  return operands[0].maximum(operands[1]).minimum(operands[2]);
}

MYCEL_WRITES_ONNX(addcdiv) {
  const auto x = call.inputs(call.dtype());
  return x[0] + x[3] * (x[1] / x[2]);
}

MYCEL_WRITES_ONNX(addcmul) {
  const auto x = call.inputs(call.dtype());
  return x[0] + x[3] * x[1] * x[2];
}

MYCEL_WRITES_ONNX(lerp) {
  const auto x = call.inputs(call.dtype());
  return x[0] + x[2] * (x[1] - x[0]);
}

}  // namespace mycel::ops
