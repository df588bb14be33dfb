// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "operator/blocking.h"
#include "ops/onnx_arguments.h"
#include "ops/reduce/mindir_reductions.h"
#include "ops/reduce/neighbours.h"
#include "ops/reduce/onnx_reductions.h"
#include "ops/reduce/reduction.h"

namespace mycel::ops {
namespace {

// Integers narrower than 64 bits are summed into int64 when the caller does not say otherwise.
DType widened(DType dtype) {
  const bool narrow = dtype == DType::Bool || dtype == DType::UInt8 || dtype == DType::Int8 ||
                      dtype == DType::Int16 || dtype == DType::Int32;
  return narrow ? DType::Int64 : dtype;
}

void infer_typed(InferContext& op, std::string_view axis, std::string_view keep) {
  const TensorSpec& input = op.input(0);
  const IntList axes = op.normalize_axes(axis, input.rank());
  const DType dtype = op.is_none("dtype") ? widened(input.dtype) : op.dtype("dtype");
  op.set_output(0, dtype, reduced_shape(input.shape, axes, op.flag(keep)));
}

bool is_differentiable(DType dtype) { return is_floating(dtype) || is_complex(dtype); }

void sum_gradient(GradientContext& op, std::string_view axis) {
  const Value gradient = stretched(op, op.output_gradient(0), op.ints(axis));
  op.set_input_gradient(0, op.call("cast", {gradient}, {{"dtype", op.input_dtype(0)}}));
}

// d prod / d x_i is the product of all the others: of those before times those after, which is
// right for zeros as well.
void prod_gradient(GradientContext& op, std::string_view axis) {
  const IntList axes = op.ints(axis);
  const Shape& shape = op.input_shape(0);
  IntList order;
  for (std::int64_t i = 0; i < static_cast<std::int64_t>(shape.size()); ++i) {
    if (std::find(axes.begin(), axes.end(), i) == axes.end()) order.push_back(i);
  }
  const std::size_t kept = order.size();
  for (const std::int64_t reduced : axes) order.push_back(reduced);
  Shape moved;
  IntList back(order.size());
  for (std::size_t i = 0; i < order.size(); ++i) {
    moved.push_back(shape[static_cast<std::size_t>(order[i])]);
    back[static_cast<std::size_t>(order[i])] = static_cast<std::int64_t>(i);
  }
  Shape flat(moved.begin(), moved.begin() + kept);
  flat.push_back(reduced_count(shape, axes));
  const auto last = static_cast<std::int64_t>(kept);
  const Value source = conjugated(op, op.input(0));
  const Value x =
      op.call("reshape", {op.call("transpose", {source}, {{"perm", order}})}, {{"shape", flat}});
  const Value before = op.call("cumprod", {x}, {{"axis", last}, {"exclusive", true}});
  const Value after =
      op.call("cumprod", {x}, {{"axis", last}, {"exclusive", true}, {"reverse", true}});
  const Value others = op.call(
      "transpose", {op.call("reshape", {before * after}, {{"shape", moved}})}, {{"perm", back}});
  const Value gradient = stretched(op, op.output_gradient(0), axes) * others;
  op.set_input_gradient(0, op.call("cast", {gradient}, {{"dtype", op.input_dtype(0)}}));
}

// A sum over whole planes, which leaves whole channels.
bool plan_reducing_blocks(BlockPlan& plan) {
  if (plan.input(0).rank() != 4) return false;
  const IntList axes = plan.ints("axis");
  const auto has = [&](std::int64_t axis) {
    return std::find(axes.begin(), axes.end(), axis) != axes.end();
  };
  plan.operands = {0};
  return has(2) && has(3) && !has(1);
}

}  // namespace

MYCEL_OP(reduce_sum)
    .names({.primitive = "ReduceSum", .function = "reduce_sum"})
    .doc("Sum over axes, in the type of the input.")
    .input("x", "Any tensor.")
    .attribute("axis", "Axes to reduce; none given: all of them.",
               Nullable{AttributeType::Ints, IntList{}}, {.in_call = true})
    .attribute("keep_dims", "Whether reduced axes stay, with length 1.", false)
    .attribute("skip_mode", "Whether no axes mean: change nothing.", false)
    .output("output", "Reduced tensor.")
    .infer([](InferContext& op) {
      const TensorSpec& input = op.input(0);
      const bool none = op.is_none("axis") || op.ints("axis").empty();
      const bool skips = op.flag("skip_mode") && none;
      if (skips) op.set_attribute("axis", IntList{});
      const IntList axes = skips ? IntList{} : op.normalize_axes("axis", input.rank());
      op.set_output(0, input.dtype, reduced_shape(input.shape, axes, op.flag("keep_dims")));
    })
    .gradient([](GradientContext& op) { sum_gradient(op, "axis"); })
    .numpy("np.sum(x, axis=tuple(axis) if axis else None, keepdims=keep_dims, dtype=x.dtype)")
    .traits({.reduces = {ReduceKind::Sum, "axis"}, .plan_blocks = plan_reducing_blocks})
    .sample("all axes", {normal({2, 3, 4})})
    .sample("inner", {normal({3, 50})}, {{"axis", IntList{1}}})
    .sample("outer", {normal({50, 3})}, {{"axis", IntList{0}}, {"keep_dims", true}})
    .sample("middle", {normal({2, 5, 3})}, {{"axis", IntList{1}}})
    .sample("mixed", {normal({2, 3, 4, 5})}, {{"axis", IntList{-4, 2}}})
    .sample("no axes", {normal({})})
    .sample("no elements", {normal({0, 3})}, {{"axis", IntList{0}}})
    .sample_dtypes(kNumber);

MYCEL_CPU_KERNEL(reduce_sum) { run_reduction(kernel); }

MYCEL_OP(reduce_mean)
    .names({.primitive = "ReduceMean", .function = "mean", .method = "mean"})
    .function_aliases({"reduce_mean"})
    .doc("Mean over axes, in the type of the input; of integers cut toward zero.")
    .input("x", "Any tensor of numbers.", kNumber)
    .attribute("axis", "Axes to reduce; none given: all of them.",
               Nullable{AttributeType::Ints, AttributeValue()}, {.in_call = true})
    .attribute("keep_dims", "Whether reduced axes stay, with length 1.", false)
    .output("output", "Reduced tensor.")
    .infer([](InferContext& op) {
      const TensorSpec& input = op.input(0);
      const IntList axes = op.normalize_axes("axis", input.rank());
      op.set_output(0, input.dtype, reduced_shape(input.shape, axes, op.flag("keep_dims")));
    })
    .gradient([](GradientContext& op) {
      const IntList axes = op.ints("axis");
      const double count = static_cast<double>(reduced_count(op.input_shape(0), axes));
      op.set_input_gradient(0, stretched(op, op.output_gradient(0) / count, axes));
    })
    .numpy("np.mean(x, axis=tuple(axis) if axis else None, keepdims=keep_dims)")
    .traits({.reduces = {ReduceKind::Mean, "axis"}, .plan_blocks = plan_reducing_blocks})
    .sample("all axes", {normal({2, 3, 4})})
    .sample("inner", {normal({3, 50})}, {{"axis", IntList{1}}})
    .sample("outer", {normal({50, 3})}, {{"axis", IntList{0}}, {"keep_dims", true}})
    .sample_dtypes(kFloating | kComplex);

MYCEL_CPU_KERNEL(reduce_mean) { run_reduction(kernel); }

MYCEL_OP(reduce_prod)
    .names({.primitive = "ReduceProd"})
    .doc("Product over axes, in the type of the input.")
    .input("x", "Any tensor.")
    .attribute("axis", "Axes to reduce; none given: all of them.",
               Nullable{AttributeType::Ints, IntList{}}, {.in_call = true})
    .attribute("keep_dims", "Whether reduced axes stay, with length 1.", false)
    .output("output", "Reduced tensor.")
    .infer([](InferContext& op) {
      const TensorSpec& input = op.input(0);
      const IntList axes = op.normalize_axes("axis", input.rank());
      op.set_output(0, input.dtype, reduced_shape(input.shape, axes, op.flag("keep_dims")));
    })
    .gradient([](GradientContext& op) { prod_gradient(op, "axis"); })
    .keeps({"x"})
    .numpy("np.prod(x, axis=tuple(axis) if axis else None, keepdims=keep_dims, dtype=x.dtype)")
    .traits({.reduces = {ReduceKind::Prod, "axis"}})
    .sample("all axes", {positive({2, 3})})
    .sample("inner", {normal({3, 5})}, {{"axis", IntList{1}}})
    .sample("a zero", {values({2, 2}, {0, 2, 3, 4})}, {{"axis", IntList{1}}})
    .sample_dtypes(kFloating | kIntegral | kComplex);

MYCEL_CPU_KERNEL(reduce_prod) { run_reduction(kernel); }

MYCEL_OP(sum)
    .names({.function = "sum"})
    .doc("Sum over axes; narrow integers and bool give int64 unless `dtype` says otherwise.")
    .input("input", "Any tensor.")
    .attribute("dim", "Axes to reduce; None: all of them.",
               Nullable{AttributeType::Ints, AttributeValue()})
    .attribute("keepdim", "Whether reduced axes stay, with length 1.", false)
    .attribute("dtype", "Type of the result.", optional(AttributeType::DType))
    .output("output", "Reduced tensor.")
    .infer([](InferContext& op) { infer_typed(op, "dim", "keepdim"); })
    .gradient([](GradientContext& op) {
      if (is_differentiable(op.input_dtype(0))) sum_gradient(op, "dim");
    })
    .numpy("np.sum(input, axis=tuple(dim) if dim else None, keepdims=keepdim)")
    .traits({.reduces = {ReduceKind::Sum, "dim"}})
    .sample("all axes", {normal({2, 3, 4})})
    .sample("inner", {normal({3, 50})}, {{"dim", IntList{1}}})
    .sample("outer", {normal({50, 3})}, {{"dim", IntList{0}}, {"keepdim", true}})
    .sample_dtypes(kFloating | kComplex | DTypeSet({DType::Int32, DType::Int64, DType::Bool}));

MYCEL_CPU_KERNEL(sum) { run_reduction(kernel); }

MYCEL_OP(prod)
    .names({.function = "prod", .method = "prod"})
    .doc("Product over axes; narrow integers and bool give int64 unless `dtype` says otherwise.")
    .input("input", "Any tensor.")
    .attribute("axis", "Axes to reduce; None: all of them.",
               Nullable{AttributeType::Ints, AttributeValue()})
    .attribute("keep_dims", "Whether reduced axes stay, with length 1.", false)
    .attribute("dtype", "Type of the result.", optional(AttributeType::DType))
    .output("output", "Reduced tensor.")
    .infer([](InferContext& op) { infer_typed(op, "axis", "keep_dims"); })
    .gradient([](GradientContext& op) {
      if (is_differentiable(op.input_dtype(0))) prod_gradient(op, "axis");
    })
    .keeps({"input"})
    .numpy("np.prod(input, axis=tuple(axis) if axis else None, keepdims=keep_dims)")
    .traits({.reduces = {ReduceKind::Prod, "axis"}})
    .sample("all axes", {positive({2, 3})})
    .sample("inner", {normal({3, 5})}, {{"axis", IntList{1}}})
    .sample_dtypes(kFloating | DTypeSet({DType::Int32, DType::Int64}));

MYCEL_CPU_KERNEL(prod) { run_reduction(kernel); }

// ---- sums of ONNX files keep their type ---------------------------------------------------------

static Value reduced(const StoredCall& call, std::string_view op, const Value& x,
                     const IntList& axes, bool keeps) {
  return call.cast(call.call(op, {x}, {{"axis", axes}, {"keep_dims", keeps}}), x.dtype());
}

MYCEL_ONNX(ReduceSum, "data axes.numbers") {
  return onnx_reduction(call, [&](const Value& x, const IntList& axes, bool keeps) {
    return reduced(call, "reduce_sum", x, axes, keeps);
  });
}
MYCEL_ONNX(ReduceMean, "data axes.numbers") {
  return onnx_reduction(call, [&](const Value& x, const IntList& axes, bool keeps) {
    return reduced(call, "reduce_mean", x, axes, keeps);
  });
}
MYCEL_ONNX(ReduceProd, "data axes.numbers") {
  return onnx_reduction(call, [&](const Value& x, const IntList& axes, bool keeps) {
    return reduced(call, "reduce_prod", x, axes, keeps);
  });
}
MYCEL_ONNX(ReduceL1, "data axes.numbers") {
  return onnx_reduction(call, [&](const Value& x, const IntList& axes, bool keeps) {
    return reduced(call, "reduce_sum", call.call("abs", {x}), axes, keeps);
  });
}
MYCEL_ONNX(ReduceL2, "data axes.numbers") {
  return onnx_reduction(call, [&](const Value& x, const IntList& axes, bool keeps) {
    const Value total = reduced(call, "reduce_sum", call.call("square", {x}), axes, keeps);
    return call.cast(call.call("sqrt", {total}), x.dtype());
  });
}
MYCEL_ONNX(ReduceSumSquare, "data axes.numbers") {
  return onnx_reduction(call, [&](const Value& x, const IntList& axes, bool keeps) {
    return reduced(call, "reduce_sum", call.call("square", {x}), axes, keeps);
  });
}
MYCEL_ONNX(ReduceLogSum, "data axes.numbers") {
  return onnx_reduction(call, [&](const Value& x, const IntList& axes, bool keeps) {
    return call.call("log", {reduced(call, "reduce_sum", x, axes, keeps)});
  });
}

MYCEL_WRITES_MINDIR(reduce_sum) {
  const bool changes_nothing = call.flag("skip_mode") && call.ints("axis").empty();
  return changes_nothing ? call.typed() : reduction(call, "ReduceSum");
}

MYCEL_WRITES_MINDIR(sum) { return reduction(call, "ReduceSum", "dim", "keepdim"); }
MYCEL_WRITES_MINDIR(reduce_mean) { return reduction(call, "ReduceMean"); }
MYCEL_WRITES_MINDIR(reduce_prod) { return reduction(call, "ReduceProd"); }
MYCEL_WRITES_MINDIR(prod) { return reduction(call, "ReduceProd"); }

MYCEL_WRITES_ONNX(reduce_sum) {
  const bool has_axes = !call.is_none("axis") && !call.ints("axis").empty();
  if (call.flag("skip_mode") && !has_axes) return call.typed();
  return reduction(call, "ReduceSum");
}
MYCEL_WRITES_ONNX(sum) { return reduction(call, "ReduceSum", "dim", "keepdim"); }
MYCEL_WRITES_ONNX(reduce_mean) { return reduction(call, "ReduceMean"); }
MYCEL_WRITES_ONNX(reduce_prod) { return reduction(call, "ReduceProd"); }
MYCEL_WRITES_ONNX(prod) { return reduction(call, "ReduceProd"); }

}  // namespace mycel::ops
