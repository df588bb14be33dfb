// SPDX-License-Identifier: Apache-2.0
// Variance, standard deviation and functions made of reductions.
#include <cmath>
#include <limits>

#include "ops/onnx_arguments.h"
#include "ops/reduce/mindir_reductions.h"
#include "ops/reduce/onnx_reductions.h"
#include "ops/reduce/reduction.h"

namespace mycel::ops {
namespace {

void infer_var(InferContext& op) {
  const TensorSpec& input = op.input(0);
  const IntList axes = op.normalize_axes("axis", input.rank());
  op.set_output(0, input.dtype, reduced_shape(input.shape, axes, op.flag("keepdims")));
}

void var_gradient(GradientContext& op) {
  const IntList axes = op.ints("axis");
  const Value mean = op.call("reduce_mean", {op.input(0)}, {{"axis", axes}, {"keep_dims", true}});
  const double divisor = static_cast<double>(reduced_count(op.input_shape(0), axes)) -
                         static_cast<double>(op.integer("ddof"));
  const Value gradient = with_kept_axes(op, op.output_gradient(0), axes);
  op.set_input_gradient(0, (op.input(0) - mean) * (gradient * (2.0 / divisor)));
}

Value call_var(CompositeContext& op) {
  return op.call("var", {op.input(0)},
                 {{"axis", op.attribute("axis")},
                  {"ddof", op.attribute("ddof")},
                  {"keepdims", op.attribute("keepdims")}});
}

Value call_mean(CompositeContext& op, std::string_view keep) {
  return op.call("reduce_mean", {op.input(0)},
                 {{"axis", op.attribute("axis")}, {"keep_dims", op.attribute(keep)}});
}

}  // namespace

MYCEL_OP(var)
    .names({.function = "var"})
    .doc("Variance over axes.")
    .input("input", "Floating-point tensor.", kFloating)
    .attribute("axis", "Axes to reduce; None: all of them.",
               Nullable{AttributeType::Ints, AttributeValue()})
    .attribute("ddof", "What is taken off the number of elements in the divisor.", 0)
    .attribute("keepdims", "Whether reduced axes stay, with length 1.", false)
    .output("output", "Reduced tensor.")
    .infer(infer_var)
    .gradient(var_gradient)
    .keeps({"input"})
    .numpy("np.var(input, axis=tuple(axis) if axis else None, ddof=ddof, keepdims=keepdims)")
    .sample("all axes", {normal({2, 3, 4})})
    .sample("inner", {normal({3, 50})}, {{"axis", IntList{1}}, {"ddof", 1}})
    .sample("outer", {normal({50, 3})}, {{"axis", IntList{0}}, {"keepdims", true}})
    .sample_dtypes(kFloating);

MYCEL_CPU_KERNEL(var) {
  cpu::reduce_moments(kernel.input(0), kernel.ints("axis"),
                      static_cast<double>(kernel.integer("ddof")), Tensor(), kernel.output(0));
}

MYCEL_OP(std)
    .names({.function = "std"})
    .doc("Standard deviation over axes.")
    .input("input", "Floating-point tensor.", kFloating)
    .attribute("axis", "Axes to reduce; None: all of them.",
               Nullable{AttributeType::Ints, AttributeValue()})
    .attribute("ddof", "What is taken off the number of elements in the divisor.", 0)
    .attribute("keepdims", "Whether reduced axes stay, with length 1.", false)
    .output("output", "Reduced tensor.")
    .composite([](CompositeContext& op) { op.set_output(0, op.call("sqrt", {call_var(op)})); })
    .numpy("np.std(input, axis=tuple(axis) if axis else None, ddof=ddof, keepdims=keepdims)")
    .sample("all axes", {normal({2, 3, 4})})
    .sample("inner", {normal({3, 50})}, {{"axis", IntList{1}}, {"ddof", 1}});

MYCEL_OP(var_mean)
    .names({.function = "var_mean"})
    .doc("Variance and mean over axes.")
    .input("input", "Floating-point tensor.", kFloating)
    .attribute("axis", "Axes to reduce; None: all of them.",
               Nullable{AttributeType::Ints, AttributeValue()})
    .attribute("ddof", "What is taken off the number of elements in the divisor.", 0)
    .attribute("keepdims", "Whether reduced axes stay, with length 1.", false)
    .output("variance", "Variance.")
    .output("mean", "Mean.")
    .composite([](CompositeContext& op) {
      op.set_output(0, call_var(op));
      op.set_output(1, call_mean(op, "keepdims"));
    })
    .sample("inner", {normal({3, 50})}, {{"axis", IntList{1}}});

MYCEL_OP(std_mean)
    .names({.function = "std_mean"})
    .doc("Standard deviation and mean over axes.")
    .input("input", "Floating-point tensor.", kFloating)
    .attribute("axis", "Axes to reduce; None: all of them.",
               Nullable{AttributeType::Ints, AttributeValue()})
    .attribute("ddof", "What is taken off the number of elements in the divisor.", 0)
    .attribute("keepdims", "Whether reduced axes stay, with length 1.", false)
    .output("deviation", "Standard deviation.")
    .output("mean", "Mean.")
    .composite([](CompositeContext& op) {
      op.set_output(0, op.call("sqrt", {call_var(op)}));
      op.set_output(1, call_mean(op, "keepdims"));
    })
    .sample("inner", {normal({3, 50})}, {{"axis", IntList{1}}});

MYCEL_OP(reduce_std)
    .names({.primitive = "ReduceStd"})
    .doc("Standard deviation and mean over axes.")
    .input("x", "Floating-point tensor.", kFloating)
    .attribute("axis", "Axes to reduce; none given: all of them.",
               Nullable{AttributeType::Ints, IntList{}})
    .attribute("unbiased", "Whether the divisor is one less than the number of elements.", true)
    .attribute("keep_dims", "Whether reduced axes stay, with length 1.", false)
    .output("deviation", "Standard deviation.")
    .output("mean", "Mean.")
    .composite([](CompositeContext& op) {
      const Value variance = op.call("var", {op.input(0)},
                                     {{"axis", op.attribute("axis")},
                                      {"ddof", op.flag("unbiased") ? 1 : 0},
                                      {"keepdims", op.attribute("keep_dims")}});
      op.set_output(0, op.call("sqrt", {variance}));
      op.set_output(1, call_mean(op, "keep_dims"));
    })
    .sample("inner", {normal({3, 50})}, {{"axis", IntList{1}}});

MYCEL_OP(logsumexp)
    .names({.function = "logsumexp"})
    .doc("Logarithm of the sum of exponentials over axes, without overflow.")
    .input("input", "Floating-point tensor.", kFloating)
    .attribute("axis", "Axes to reduce.", Nullable{AttributeType::Ints, AttributeValue()})
    .attribute("keep_dims", "Whether reduced axes stay, with length 1.", false)
    .output("output", "Reduced tensor.")
    .infer([](InferContext& op) {
      const TensorSpec& input = op.input(0);
      const IntList axes = op.normalize_axes("axis", input.rank());
      op.set_output(0, input.dtype, reduced_shape(input.shape, axes, op.flag("keep_dims")));
    })
    .gradient([](GradientContext& op) {
      const IntList axes = op.ints("axis");
      const Value total = with_kept_axes(op, op.output(0), axes);
      const Value gradient = with_kept_axes(op, op.output_gradient(0), axes);
      op.set_input_gradient(0, op.call("exp", {op.input(0) - total}) * gradient);
    })
    .keeps({"input", "output"})
    .numpy("np.log(np.sum(np.exp(input), axis=tuple(axis) if axis else None, keepdims=keep_dims))")
    .sample("inner", {normal({3, 50})}, {{"axis", IntList{1}}})
    .sample("outer", {normal({50, 3})}, {{"axis", IntList{0}}, {"keep_dims", true}})
    .sample_dtypes(kFloating);

MYCEL_OP(count_nonzero)
    .names({.function = "count_nonzero", .method = "count_nonzero"})
    .doc("Number of elements that are not zero.")
    .input("x", "Any tensor.")
    .attribute("axis", "Axes to reduce; none given: all of them.",
               Nullable{AttributeType::Ints, IntList{}})
    .attribute("keep_dims", "Whether reduced axes stay, with length 1.", false)
    .attribute("dtype", "Type of the result.", DType::Int32)
    .output("output", "Counts.")
    .composite([](CompositeContext& op) {
      const Value mask = op.call("cast", {op.input(0)}, {{"dtype", DType::Bool}});
      op.set_output(0, op.call("sum", {mask},
                               {{"dim", op.attribute("axis")},
                                {"keepdim", op.attribute("keep_dims")},
                                {"dtype", op.attribute("dtype")}}));
    })
    .sample("inner", {values({2, 3}, {0, 1, 2, 0, 0, 3})}, {{"axis", IntList{1}}});

MYCEL_OP(nansum)
    .names({.function = "nansum", .method = "nansum"})
    .doc("Sum over axes that takes NaN as zero.")
    .input("input", "Any tensor.")
    .attribute("axis", "Axes to reduce; None: all of them.",
               Nullable{AttributeType::Ints, AttributeValue()})
    .attribute("keepdims", "Whether reduced axes stay, with length 1.", false)
    .attribute("dtype", "Type of the result.", optional(AttributeType::DType))
    .output("output", "Reduced tensor.")
    .composite([](CompositeContext& op) {
      const Value nan = op.call("isnan", {op.input(0)});
      const Value clean = op.call("masked_fill", {op.input(0), nan, op.emitter().integer(0)});
      op.set_output(0, op.call("sum", {clean},
                               {{"dim", op.attribute("axis")},
                                {"keepdim", op.attribute("keepdims")},
                                {"dtype", op.attribute("dtype")}}));
    })
    .sample("some NaN", {values({2, 2}, {1, NAN, 3, 4})}, {{"axis", IntList{1}}});

MYCEL_ONNX(ReduceLogSumExp, "data axes.numbers") {
  return onnx_reduction(call, [&](const Value& x, const IntList& axes, bool keeps) {
    return call.call("logsumexp", {x}, {{"axis", axes}, {"keep_dims", keeps}});
  });
}

MYCEL_WRITES_MINDIR(logsumexp) {
  const auto x = call.typed();
  const IntList axes = call.axes("axis");
  auto most = reduced(x, "ReduceMax", axes);
  const auto is_infinite = most.add("Abs").equals(std::numeric_limits<double>::infinity());
  most = is_infinite.where(0, most);
  const auto sum = reduced((x - most).add("Exp"), "ReduceSum", axes);
  return (sum.add("Log") + most).reshape(call.shape());
}

MYCEL_WRITES_MINDIR(var) {
  const IntList axes = call.axes("axis");
  std::int64_t count = 1;
  for (const std::int64_t axis : axes) count *= call.shape_of()[static_cast<std::size_t>(axis)];
  const std::int64_t divisor = count - call.integer("ddof");
  if (divisor <= 0) call.refuse("there are not enough elements for a variance");
  const auto squares = squared_distance(call.typed(), axes);
  return reduced(squares, "ReduceSum", axes, call.flag("keepdims")) / static_cast<double>(divisor);
}

MYCEL_WRITES_ONNX(logsumexp) { return reduction(call, "ReduceLogSumExp"); }

MYCEL_WRITES_ONNX(var) {
  const IntList axes = call.axes("axis");
  std::int64_t count = 1;
  for (const std::int64_t axis : axes)
    count *= call.rank_of() == 0 ? 1 : call.shape_of()[static_cast<std::size_t>(axis)];
  if (count <= call.integer("ddof")) call.refuse("there are not enough elements for a variance");
  const auto distance = deviation(call.typed(), axes);
  const auto total = reduced(distance * distance, "ReduceSum", axes, call.flag("keepdims"));
  return total / static_cast<double>(count - call.integer("ddof"));
}

}  // namespace mycel::ops
