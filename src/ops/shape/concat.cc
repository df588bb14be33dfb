// SPDX-License-Identifier: Apache-2.0
#include "operator/blocking.h"
#include "operator/define.h"
#include "operator/mindir_call.h"
#include "operator/onnx_call.h"
#include "operator/stored_call.h"
#include "ops/shape/window.h"

namespace mycel::ops {
namespace {

// The dtype all inputs are converted to.
DType common_dtype(const InferContext& op) {
  DType dtype = op.input(0).dtype;
  for (std::size_t i = 1; i < op.input_count(); ++i) dtype = promote(dtype, op.input(i).dtype);
  return dtype;
}

void convert_all(InferContext& op, DType dtype) {
  for (std::size_t i = 0; i < op.input_count(); ++i) {
    if (op.input(i).dtype != dtype) op.cast_input(i, dtype);
  }
}

void infer_concat(InferContext& op) {
  op.require(op.input_count() > 0, ErrorKind::Value,
             "'tensors' must hold at least one tensor, but got none.");
  const TensorSpec& first = op.input(0);
  op.require(first.rank() > 0, ErrorKind::Value,
             "tensors without axes cannot be joined; use 'stack'.");
  const auto axis = static_cast<std::size_t>(op.normalize_axis("axis", first.rank()));
  Shape shape = first.shape;
  for (std::size_t i = 1; i < op.input_count(); ++i) {
    Shape other = op.input(i).shape;
    op.require(other.size() == shape.size(), ErrorKind::Value,
               "all tensors must have the same number of axes, but got ", first.shape, " and ",
               op.input(i).shape, ".");
    shape[axis] += other[axis];
    other[axis] = shape[axis];
    op.require(other == shape, ErrorKind::Value, "the shapes must agree on every axis but ", axis,
               ", but got ", first.shape, " and ", op.input(i).shape, ".");
  }
  const DType dtype = common_dtype(op);
  convert_all(op, dtype);
  op.set_output(0, dtype, shape);
}

void concat_gradient(GradientContext& op) {
  const auto axis = static_cast<std::size_t>(op.integer("axis"));
  const Value dy = op.output_gradient(0);
  Window window = whole_window(op.output_specs[0].shape);
  for (std::size_t i = 0; i < op.input_count(); ++i) {
    window.length[axis] = op.input_shape(i)[axis];
    if (op.wants(i)) {
      Value part = call_window(op.emitter(), dy, window);
      if (part.dtype() != op.input_dtype(i))
        part = op.call("cast", {part}, {{"dtype", op.input_dtype(i)}});
      op.set_input_gradient(i, part);
    }
    window.begin[axis] += window.length[axis];
  }
}

void infer_stack(InferContext& op) {
  op.require(op.input_count() > 0, ErrorKind::Value,
             "'tensors' must hold at least one tensor, but got none.");
  const Shape& first = op.input(0).shape;
  for (std::size_t i = 1; i < op.input_count(); ++i) {
    op.require(op.input(i).shape == first, ErrorKind::Value,
               "all tensors must have the same shape, but got ", first, " and ", op.input(i).shape,
               ".");
  }
  const std::int64_t axis = op.normalize_axis("axis", op.input(0).rank() + 1);
  Shape shape = first;
  shape.insert(static_cast<std::size_t>(axis), static_cast<std::int64_t>(op.input_count()));
  const DType dtype = common_dtype(op);
  convert_all(op, dtype);
  op.set_output(0, dtype, shape);
}

void stack_gradient(GradientContext& op) {
  const auto axis = static_cast<std::size_t>(op.integer("axis"));
  const Value dy = op.output_gradient(0);
  Window window = whole_window(op.output_specs[0].shape);
  window.length[axis] = 1;
  window.axes.erase(axis);
  for (std::size_t i = 0; i < op.input_count(); ++i) {
    if (!op.wants(i)) continue;
    window.begin[axis] = static_cast<std::int64_t>(i);
    Value part = call_window(op.emitter(), dy, window);
    if (part.dtype() != op.input_dtype(i))
      part = op.call("cast", {part}, {{"dtype", op.input_dtype(i)}});
    op.set_input_gradient(i, part);
  }
}

bool plan_joining_blocks(BlockPlan& plan) {
  for (std::size_t i = 0; i < plan.input_count(); ++i) plan.operands.push_back(i);
  plan.results = {0};
  return true;
}

}  // namespace

MYCEL_OP(concat)
    .names({.primitive = "Concat", .function = "concat"})
    .function_aliases({"cat"})
    .doc("Joins tensors along an existing axis.")
    .numpy("np.concatenate(tensors, axis)")
    .variadic_input("tensors", "Equal shapes but for one axis; converted to their common type.")
    .attribute("axis", "The axis they are joined along.", 0)
    .output("output", "The lengths along `axis` are added.")
    .infer(infer_concat)
    .gradient(concat_gradient)
    .traits({.plan_blocks = plan_joining_blocks})
    .sample("rows", {normal({2, 3}), normal({1, 3})})
    .sample("columns", {normal({2, 3}), normal({2, 0}), normal({2, 2})}, {{"axis", -1}})
    .sample_dtypes(kAny);

MYCEL_CPU_KERNEL(concat) {
  const auto axis = static_cast<std::size_t>(kernel.integer("axis"));
  Window window = whole_window(kernel.output(0).shape());
  for (const Tensor& part : kernel.inputs()) {
    window.length[axis] = part.shape()[axis];
    copy_elements(part, window_of(kernel.output(0), window));
    window.begin[axis] += window.length[axis];
  }
}

MYCEL_OP(stack)
    .names({.primitive = "Stack", .function = "stack"})
    .primitive_aliases({"Pack"})
    .doc("Joins tensors of one shape along a new axis.")
    .numpy("np.stack(tensors, axis)")
    .variadic_input("tensors", "Equal shapes; converted to their common type.")
    .attribute("axis", "Position of the new axis.", 0)
    .output("output", "One axis more.")
    .infer(infer_stack)
    .gradient(stack_gradient)
    .sample("rows", {normal({3}), normal({3})})
    .sample("columns", {normal({2, 3}), normal({2, 3}), normal({2, 3})}, {{"axis", -1}})
    .sample("scalars", {normal({}), normal({})})
    .sample_dtypes(kAny);

MYCEL_CPU_KERNEL(stack) {
  const auto axis = static_cast<std::size_t>(kernel.integer("axis"));
  Window window = whole_window(kernel.output(0).shape());
  window.length[axis] = 1;
  window.axes.erase(axis);
  for (std::size_t i = 0; i < kernel.input_count(); ++i) {
    window.begin[axis] = static_cast<std::int64_t>(i);
    copy_elements(kernel.input(i), window_of(kernel.output(0), window));
  }
}

MYCEL_ONNX(Concat, "inputs...") {
  return call.call("concat", call.tensors("inputs"), {{"axis", call.integer("axis")}});
}

MYCEL_WRITES_MINDIR(concat) {
  const auto parts = call.inputs(call.dtype());
  if (parts.size() == 1) return parts[0];
  return joined("Concat", parts, call.shape(), call.axis("axis", call.rank()));
}

MYCEL_WRITES_MINDIR(stack) {
  return joined("Stack", call.inputs(call.dtype()), call.shape(), call.axis("axis", call.rank()));
}

MYCEL_WRITES_ONNX(concat) {
  return onnx::joined(call.inputs(call.dtype()), call.axis("axis", call.rank()));
}

MYCEL_WRITES_ONNX(stack) {
  const std::int64_t axis = call.axis("axis", call.rank());
  std::vector<onnx::Symbol> parts;
  for (const auto& part : call.inputs(call.dtype())) parts.push_back(part.unsqueeze({axis}));
  return onnx::joined(parts, axis);
}

}  // namespace mycel::ops
