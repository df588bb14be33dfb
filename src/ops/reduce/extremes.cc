// SPDX-License-Identifier: Apache-2.0
// Largest, smallest, all and any.
#include "ops/onnx_arguments.h"
#include "ops/reduce/mindir_reductions.h"
#include "ops/reduce/onnx_reductions.h"
#include "ops/reduce/reduction.h"

namespace mycel::ops {
namespace {

void infer_extreme(InferContext& op) {
  const TensorSpec& input = op.input(0);
  const IntList axes = op.normalize_axes("axis", input.rank());
  const Shape shape = reduced_shape(input.shape, axes, op.flag("keep_dims"));
  const bool nothing = reduced_count(input.shape, axes) == 0 && element_count(shape) != 0;
  op.require(!nothing, ErrorKind::Value, "the reduced axes must not be empty, but got the shape ",
             input.shape, ".");
  op.set_output(0, input.dtype, shape);
}

void infer_truth(InferContext& op) {
  const TensorSpec& input = op.input(0);
  const IntList axes = op.normalize_axes("axis", input.rank());
  op.set_output(0, DType::Bool, reduced_shape(input.shape, axes, op.flag("keep_dims")));
}

// All elements that equal the extreme share the gradient evenly.
void extreme_gradient(GradientContext& op) {
  const IntList axes = op.ints("axis");
  const Value equal = op.call("equal", {op.input(0), with_kept_axes(op, op.output(0), axes)});
  const Value share = op.call("cast", {equal}, {{"dtype", op.input_dtype(0)}});
  const Value holders = op.call("reduce_sum", {share}, {{"axis", axes}, {"keep_dims", true}});
  const Value gradient = with_kept_axes(op, op.output_gradient(0), axes);
  op.set_input_gradient(0, share * (gradient / holders));
}

}  // namespace

MYCEL_OP(reduce_max)
    .names({.primitive = "ReduceMax", .function = "reduce_max"})
    .doc("Largest element over axes; NaN counts as the largest.")
    .input("x", "Any real tensor.", kReal | kBool)
    .attribute("axis", "Axes to reduce; none given: all of them.",
               Nullable{AttributeType::Ints, IntList{}}, {.in_call = true})
    .attribute("keep_dims", "Whether reduced axes stay, with length 1.", false)
    .output("output", "Reduced tensor.")
    .infer(infer_extreme)
    .gradient(extreme_gradient)
    .keeps({"x", "output"})
    .numpy("np.max(x, axis=tuple(axis) if axis else None, keepdims=keep_dims)")
    .traits({.reduces = {ReduceKind::Max, "axis"}})
    .sample("all axes", {normal({2, 3, 4})})
    .sample("inner", {normal({3, 50})}, {{"axis", IntList{1}}})
    .sample("outer", {normal({50, 3})}, {{"axis", IntList{0}}, {"keep_dims", true}})
    .sample("middle", {normal({2, 5, 3})}, {{"axis", IntList{1}}})
    .sample_dtypes(kReal | kBool);

MYCEL_CPU_KERNEL(reduce_max) { run_reduction(kernel); }

MYCEL_OP(reduce_min)
    .names({.primitive = "ReduceMin", .function = "reduce_min"})
    .doc("Smallest element over axes; NaN counts as the smallest.")
    .input("x", "Any real tensor.", kReal | kBool)
    .attribute("axis", "Axes to reduce; none given: all of them.",
               Nullable{AttributeType::Ints, IntList{}}, {.in_call = true})
    .attribute("keep_dims", "Whether reduced axes stay, with length 1.", false)
    .output("output", "Reduced tensor.")
    .infer(infer_extreme)
    .gradient(extreme_gradient)
    .keeps({"x", "output"})
    .numpy("np.min(x, axis=tuple(axis) if axis else None, keepdims=keep_dims)")
    .traits({.reduces = {ReduceKind::Min, "axis"}})
    .sample("all axes", {normal({2, 3, 4})})
    .sample("inner", {normal({3, 50})}, {{"axis", IntList{1}}})
    .sample("outer", {normal({50, 3})}, {{"axis", IntList{0}}, {"keep_dims", true}})
    .sample_dtypes(kReal | kBool);

MYCEL_CPU_KERNEL(reduce_min) { run_reduction(kernel); }

MYCEL_OP(reduce_all)
    .names({.primitive = "ReduceAll", .function = "all", .method = "all"})
    .doc("Whether all elements are not zero.")
    .input("input", "Any tensor.")
    .attribute("axis", "Axes to reduce; None: all of them.",
               Nullable{AttributeType::Ints, AttributeValue()}, {.in_call = true})
    .attribute("keep_dims", "Whether reduced axes stay, with length 1.", false)
    .output("output", "Truth values.")
    .infer(infer_truth)
    .not_differentiable()
    .numpy("np.all(input, axis=tuple(axis) if axis else None, keepdims=keep_dims)")
    .traits({.reduces = {ReduceKind::All, "axis"}})
    .sample("all axes", {mask({2, 3, 4})})
    .sample("inner", {mask({3, 50})}, {{"axis", IntList{1}}})
    .sample("numbers", {values({2, 2}, {1, 0, 2, 3})}, {{"axis", IntList{1}}})
    .sample_dtypes(kAny);

MYCEL_CPU_KERNEL(reduce_all) { run_reduction(kernel); }

MYCEL_OP(reduce_any)
    .names({.primitive = "ReduceAny", .function = "any", .method = "any"})
    .doc("Whether one of the elements is not zero.")
    .input("input", "Any tensor.")
    .attribute("axis", "Axes to reduce; None: all of them.",
               Nullable{AttributeType::Ints, AttributeValue()}, {.in_call = true})
    .attribute("keep_dims", "Whether reduced axes stay, with length 1.", false)
    .output("output", "Truth values.")
    .infer(infer_truth)
    .not_differentiable()
    .numpy("np.any(input, axis=tuple(axis) if axis else None, keepdims=keep_dims)")
    .traits({.reduces = {ReduceKind::Any, "axis"}})
    .sample("all axes", {mask({2, 3, 4})})
    .sample("inner", {mask({3, 50})}, {{"axis", IntList{1}}})
    .sample("numbers", {values({2, 2}, {0, 0, 2, 3})}, {{"axis", IntList{1}}})
    .sample_dtypes(kAny);

MYCEL_CPU_KERNEL(reduce_any) { run_reduction(kernel); }

MYCEL_ONNX(ReduceMax, "data axes.numbers") {
  return onnx_reduction(call, [&](const Value& x, const IntList& axes, bool keeps) {
    return call.call(x.dtype() == DType::Bool ? "reduce_any" : "reduce_max", {x},
                     {{"axis", axes}, {"keep_dims", keeps}});
  });
}
MYCEL_ONNX(ReduceMin, "data axes.numbers") {
  return onnx_reduction(call, [&](const Value& x, const IntList& axes, bool keeps) {
    return call.call(x.dtype() == DType::Bool ? "reduce_all" : "reduce_min", {x},
                     {{"axis", axes}, {"keep_dims", keeps}});
  });
}

MYCEL_WRITES_MINDIR(reduce_max) { return reduction(call, "ReduceMax"); }
MYCEL_WRITES_MINDIR(reduce_min) { return reduction(call, "ReduceMin"); }
MYCEL_WRITES_MINDIR(reduce_all) { return reduction(call, "ReduceAll"); }
MYCEL_WRITES_MINDIR(reduce_any) { return reduction(call, "ReduceAny"); }

MYCEL_WRITES_ONNX(reduce_max) { return reduction(call, "ReduceMax"); }
MYCEL_WRITES_ONNX(reduce_min) { return reduction(call, "ReduceMin"); }
MYCEL_WRITES_ONNX(reduce_all) {
  return reduction(call, "ReduceMin", "axis", "keep_dims", DType::Int32);
}
MYCEL_WRITES_ONNX(reduce_any) {
  return reduction(call, "ReduceMax", "axis", "keep_dims", DType::Int32);
}

}  // namespace mycel::ops
