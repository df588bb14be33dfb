// SPDX-License-Identifier: Apache-2.0
#include "operator/define.h"
#include "operator/mindir_call.h"
#include "ops/onnx_arguments.h"
#include "ops/shape/onnx_windows.h"

namespace mycel::ops {

MYCEL_OP(expand_dims)
    .names({.primitive = "ExpandDims", .function = "expand_dims", .method = "expand_dims"})
    .doc("Adds an axis of length one. A view.")
    .numpy("np.expand_dims(input_x, axis)")
    .input("input_x", "Any tensor.")
    .attribute("axis", "Position of the new axis in the result.", required(AttributeType::Int),
               {.in_call = true})
    .output("output", "A view of `input_x`.")
    .infer([](InferContext& op) {
      const std::int64_t axis = op.normalize_axis("axis", op.input(0).rank() + 1);
      Shape shape = op.input(0).shape;
      shape.insert(static_cast<std::size_t>(axis), 1);
      op.set_output(0, op.input(0).dtype, shape);
    })
    .view([](ViewContext& op) {
      Strides strides = op.input().strides();
      strides.insert(static_cast<std::size_t>(op.integer("axis")), 1);
      op.set_view(0, {op.output(0).shape, strides, op.input().body().offset});
      return true;
    })
    .gradient([](GradientContext& op) {
      op.set_input_gradient(
          0, op.call("squeeze", {op.output_gradient(0)}, {{"axis", IntList{op.integer("axis")}}}));
    })
    .sample("front", {normal({2, 3})}, {{"axis", 0}})
    .sample("back", {normal({2, 3})}, {{"axis", -1}})
    .sample("scalar", {normal({})}, {{"axis", 0}})
    .sample_dtypes(kAny);

MYCEL_OP(unsqueeze)
    .names({.function = "unsqueeze", .method = "unsqueeze"})
    .doc("Adds an axis of length one. A view.")
    .numpy("np.expand_dims(input, dim)")
    .input("input", "Any tensor.")
    .attribute("dim", "Position of the new axis in the result.", required(AttributeType::Int))
    .output("output", "A view of `input`.")
    .composite([](CompositeContext& op) {
      op.set_output(0, op.call("expand_dims", {op.input(0)}, {{"axis", op.integer("dim")}}));
    })
    .sample("middle", {normal({2, 3})}, {{"dim", 1}})
    .sample_dtypes(kAny);

MYCEL_OP(squeeze)
    .names({.primitive = "Squeeze", .function = "squeeze", .method = "squeeze"})
    .doc("Removes axes of length one: those named, or all. A view.")
    .numpy("np.squeeze(input, axis if axis not in (None, ()) else None)")
    .input("input", "Any tensor.")
    .attribute("axis", "Axes to remove, each of length one; None means all such axes.",
               optional(AttributeType::Ints))
    .output("output", "A view of `input`.")
    .infer([](InferContext& op) {
      const TensorSpec& input = op.input(0);
      const IntList given = op.is_none("axis") ? IntList{} : op.ints("axis");
      std::vector<bool> removed(input.shape.size(), false);
      for (const std::int64_t axis : given) {
        const auto i = static_cast<std::size_t>(normalize_axis(axis, input.rank(), op.name()));
        if (i >= input.shape.size()) continue;  // a scalar has nothing to remove
        op.require(input.shape[i] == 1, ErrorKind::Value, "the axis ", axis,
                   " in 'axis' must have length 1 to be removed, but got shape ", input.shape, ".");
        removed[i] = true;
      }
      IntList axes;
      Shape shape;
      for (std::size_t i = 0; i < input.shape.size(); ++i) {
        if (given.empty() ? input.shape[i] == 1 : removed[i]) {
          axes.push_back(static_cast<std::int64_t>(i));
        } else {
          shape.push_back(input.shape[i]);
        }
      }
      op.set_attribute("axis", axes);
      op.set_output(0, input.dtype, shape);
    })
    .view([](ViewContext& op) {
      Strides strides = op.input().strides();
      const IntList axes = op.ints("axis");
      for (std::size_t k = axes.size(); k-- > 0;) strides.erase(static_cast<std::size_t>(axes[k]));
      op.set_view(0, {op.output(0).shape, strides, op.input().body().offset});
      return true;
    })
    .gradient([](GradientContext& op) {
      op.set_input_gradient(
          0, op.call("reshape", {op.output_gradient(0)}, {{"shape", op.input_shape(0)}}));
    })
    .sample("all", {normal({1, 3, 1})})
    .sample("one", {normal({1, 3, 1})}, {{"axis", IntList{-1}}})
    .sample("none to remove", {normal({2, 3})})
    .sample_dtypes(kAny);

MYCEL_ONNX(Squeeze, "data axes.numbers") {
  const Value x = call.tensor("data");
  const Shape shape = x.shape();
  IntList axes;
  for (const std::int64_t axis : onnx_axes(call).value_or(IntList()))
    axes.push_back(onnx_axis(call, axis, x.rank()));
  for (std::size_t i = 0; i < shape.size() && !call.has("axes"); ++i)
    if (shape[i] == 1) axes.push_back(static_cast<std::int64_t>(i));
  return axes.empty() ? x : call.call("squeeze", {x}, {{"axis", std::move(axes)}});
}

MYCEL_ONNX(Unsqueeze, "data axes.numbers") {
  Value x = call.tensor("data");
  IntList axes = onnx_axes(call).value_or(IntList());
  const std::int64_t rank = x.rank() + static_cast<std::int64_t>(axes.size());
  for (std::int64_t& axis : axes) axis = onnx_axis(call, axis, rank);
  std::ranges::sort(axes);
  for (const std::int64_t axis : axes) x = call.call("expand_dims", {x}, {{"axis", axis}});
  return x;
}

MYCEL_WRITES_MINDIR(expand_dims) { return call.input().reshape(call.shape()); }
MYCEL_WRITES_MINDIR_BY(squeeze, writes_mindir_expand_dims);

MYCEL_WRITES_ONNX(expand_dims) { return call.input().unsqueeze({call.axis("axis", call.rank())}); }

MYCEL_WRITES_ONNX(squeeze) {
  const IntList given = call.is_none("axis") ? IntList() : call.ints("axis");
  IntList axes;
  for (std::int64_t i = 0; i < call.rank_of(); ++i) {
    const bool is_meant = given.empty() ? call.shape_of()[static_cast<std::size_t>(i)] == 1
                                        : holds(given, i) || holds(given, i - call.rank_of());
    if (is_meant) axes.push_back(i);
  }
  return axes.empty() ? call.input() : call.input().squeeze(axes);
}

}  // namespace mycel::ops
