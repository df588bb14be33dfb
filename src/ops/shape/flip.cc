// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "operator/mindir_call.h"
#include "ops/shape/onnx_windows.h"
#include "ops/shape/window.h"

namespace mycel::ops {
namespace {

Window flipped_window(const AttributeReader& op, const Shape& shape, std::string_view argument) {
  Window window = whole_window(shape);
  const auto rank = static_cast<std::int64_t>(shape.size());
  for (const std::int64_t given : op.ints(argument)) {
    const auto axis = static_cast<std::size_t>(normalize_axis(given, rank, op.name(), argument));
    if (axis >= shape.size()) continue;
    op.require(window.step[axis] == 1, ErrorKind::Value, "'", argument,
               "' must not repeat an axis, but got ", op.ints(argument), ".");
    window.step[axis] = -1;
    window.begin[axis] = shape[axis] - 1;
  }
  return window;
}

}  // namespace

MYCEL_OP(flip)
    .names({.function = "flip", .method = "flip"})
    .doc("Reverses the order of elements along axes. A view.")
    .numpy("np.flip(input, dims)")
    .input("input", "Any tensor.")
    .attribute("dims", "Axes to reverse.", required(AttributeType::Ints))
    .output("output", "A view of `input`.")
    .infer([](InferContext& op) {
      flipped_window(op, op.input(0).shape, "dims");
      op.set_output(0, op.input(0).dtype, op.input(0).shape);
    })
    .view([](ViewContext& op) {
      op.set_view(0, window_view(op.input(), flipped_window(op, op.input().shape(), "dims")));
      return true;
    })
    .gradient([](GradientContext& op) {
      op.set_input_gradient(
          0, op.call("flip", {op.output_gradient(0)}, {{"dims", op.attribute("dims")}}));
    })
    .sample("columns", {normal({2, 3})}, {{"dims", IntList{-1}}})
    .sample("both", {normal({2, 3})}, {{"dims", IntList{0, 1}}})
    .sample("nothing", {normal({0, 3})}, {{"dims", IntList{0}}})
    .sample_dtypes(kAny);

MYCEL_OP(reverse)
    .names({.primitive = "ReverseV2", .function = "reverse", .method = "reverse"})
    .doc("Reverses the order of elements along axes. A view.")
    .numpy("np.flip(x, axis)")
    .input("x", "Any tensor.")
    .attribute("axis", "Axes to reverse.", required(AttributeType::Ints))
    .output("output", "A view of `x`.")
    .composite([](CompositeContext& op) {
      op.set_output(0, op.call("flip", {op.input(0)}, {{"dims", op.ints("axis")}}));
    })
    .sample("rows", {normal({2, 3})}, {{"axis", IntList{0}}})
    .sample_dtypes(kAny);

MYCEL_WRITES_MINDIR(flip) {
  const auto x = call.input();
  IntList axes = call.ints("dims");
  for (std::int64_t& axis : axes) axis += axis < 0 ? x.rank() : 0;
  std::sort(axes.begin(), axes.end());
  axes.resize(static_cast<std::size_t>(std::unique(axes.begin(), axes.end()) - axes.begin()));
  return axes.empty() || x.rank() == 0 ? x : x.add("ReverseV2", {}, {}, {{"axis", axes}});
}

MYCEL_WRITES_ONNX(flip) {
  const Shape& shape = call.shape();
  const IntList axes = call.ints("dims");
  IntList begin(shape.size(), 0), step(shape.size(), 1);
  for (std::size_t i = 0; i < shape.size(); ++i) {
    const auto axis = static_cast<std::int64_t>(i);
    if (!holds(axes, axis) && !holds(axes, axis - call.rank())) continue;
    begin[i] = shape[i] - 1;
    step[i] = -1;
  }
  return window(call.input(), shape, begin, shape, step);
}

}  // namespace mycel::ops
