// SPDX-License-Identifier: Apache-2.0
#include "operator/blocking.h"
#include "ops/shape/onnx_windows.h"
#include "ops/shape/window.h"

namespace mycel::ops {
namespace {

// begin and size, one entry per axis; size -1 reaches to the end.
Window slice_window(const AttributeReader& op, const Shape& shape, const IntList& begin,
                    IntList size) {
  op.require(begin.size() == shape.size() && size.size() == shape.size(), ErrorKind::Value,
             "'begin' and 'size' must have one entry per axis of the input, but got ", begin,
             " and ", size, " for shape ", shape, ".");
  for (std::size_t i = 0; i < shape.size(); ++i) {
    op.require(begin[i] >= 0 && begin[i] <= shape[i], ErrorKind::Value,
               "each entry of 'begin' must be in [0, ", shape[i], "], but got ", begin[i],
               " for axis ", i, ".");
    if (size[i] == -1) size[i] = shape[i] - begin[i];
    op.require(size[i] >= 0 && size[i] <= shape[i] - begin[i], ErrorKind::Value, "'begin' ",
               begin[i], " and 'size' ", size[i], " must stay inside of axis ", i, " with length ",
               shape[i], ".");
  }
  Window window = whole_window(shape);
  window.begin = begin;
  window.length = size;
  return window;
}

// Whole blocks of channels, or anything of the other axes: what joining's gradient cuts out.
bool plan_cutting_blocks(BlockPlan& plan) {
  IntList begin = plan.ints("begin"), size = plan.ints("size");
  if (plan.output().rank() != 4 || begin[1] % plan.block != 0) return false;
  begin[1] /= plan.block;
  begin.push_back(0);
  size[1] /= plan.block;
  size.push_back(plan.block);
  plan.operands = {0};
  plan.results = {0};
  plan.changed = {{"begin", begin}, {"size", size}};
  return true;
}

}  // namespace

MYCEL_OP(slice)
    .names({.primitive = "Slice", .function = "slice"})
    .function_aliases({"tensor_slice"})
    .doc("A block of a tensor, by first position and size on each axis. A view.")
    .input("input_x", "Any tensor.")
    .attribute("begin", "First position on each axis.", required(AttributeType::Ints),
               {.in_call = true})
    .attribute("size", "Number of positions on each axis; -1 reaches to the end.",
               required(AttributeType::Ints), {.in_call = true})
    .output("output", "A view of `input_x`.")
    .numpy(
        "input_x[tuple(np.s_[b:b + (s if s >= 0 else n - b)] for b, s, n in zip(begin, size, "
        "input_x.shape))]")
    .infer([](InferContext& op) {
      const Window window = slice_window(op, op.input(0).shape, op.ints("begin"), op.ints("size"));
      op.set_attribute("size", window.length);
      op.set_output(0, op.input(0).dtype, window.length);
    })
    .view([](ViewContext& op) {
      op.set_view(0, window_view(op.input(), slice_window(op, op.input().shape(), op.ints("begin"),
                                                          op.ints("size"))));
      return true;
    })
    .gradient([](GradientContext& op) {
      const Window window = slice_window(op, op.input_shape(0), op.ints("begin"), op.ints("size"));
      op.set_input_gradient(
          0, spread_window(op.emitter(), op.output_gradient(0), window, op.input_shape(0)));
    })
    .traits({.plan_blocks = plan_cutting_blocks})
    .sample("block", {normal({3, 4})}, {{"begin", IntList{1, 0}}, {"size", IntList{2, 3}}})
    .sample("to the end", {normal({3, 4})}, {{"begin", IntList{1, 2}}, {"size", IntList{-1, -1}}})
    .sample("nothing", {normal({3, 4})}, {{"begin", IntList{3, 2}}, {"size", IntList{0, 1}}})
    .sample_dtypes(kAny);

MYCEL_OP(narrow)
    .names({.function = "narrow", .method = "narrow"})
    .doc("A range of one axis. A view.")
    .numpy("np.take(input, range(start, start + length), axis)")
    .input("input", "Any tensor with at least one axis.")
    .attribute("axis", "The axis that is cut.", required(AttributeType::Int))
    .attribute("start", "First position.", required(AttributeType::Int))
    .attribute("length", "Number of positions.", required(AttributeType::Int))
    .output("output", "A view of `input`.")
    .composite([](CompositeContext& op) {
      const Shape shape = op.input(0).shape();
      op.require(!shape.empty(), ErrorKind::Value,
                 "'input' must have at least one axis, but got a scalar.");
      const auto axis = static_cast<std::size_t>(
          normalize_axis(op.integer("axis"), op.input(0).rank(), op.name()));
      const std::int64_t size = shape[axis];
      std::int64_t start = op.integer("start");
      const std::int64_t length = op.integer("length");
      op.require(start >= -size && start <= size, ErrorKind::Value, "'start' must be in [", -size,
                 ", ", size, "], but got ", start, ".");
      if (start < 0) start += size;
      op.require(length >= 0 && length <= size - start, ErrorKind::Value,
                 "'length' must be in [0, ", size - start, "], but got ", length, ".");
      Window window = whole_window(shape);
      window.begin[axis] = start;
      window.length[axis] = length;
      op.set_output(0, call_window(op.emitter(), op.input(0), window));
    })
    .sample("columns", {normal({3, 5})}, {{"axis", -1}, {"start", 1}, {"length", 3}})
    .sample_dtypes(kAny);

MYCEL_OP(select_view)
    .doc("One position of an axis, which disappears. A view.")
    .numpy("np.take(input, index, axis)")
    .input("input", "Any tensor with at least one axis.")
    .attribute("axis", "The axis that disappears.", required(AttributeType::Int))
    .attribute("index", "The position.", required(AttributeType::Int))
    .output("output", "A view of `input`.")
    .composite([](CompositeContext& op) {
      const Shape shape = op.input(0).shape();
      op.require(!shape.empty(), ErrorKind::Value,
                 "'input' must have at least one axis, but got a scalar.");
      const std::int64_t axis = normalize_axis(op.integer("axis"), op.input(0).rank(), op.name());
      const auto i = static_cast<std::size_t>(axis);
      const std::int64_t index = op.integer("index");
      op.require(index >= -shape[i] && index < shape[i], ErrorKind::Index, "index ", index,
                 " is out of bounds for dimension with size ", shape[i], ".");
      Window window = whole_window(shape);
      window.begin[i] = index < 0 ? index + shape[i] : index;
      window.length[i] = 1;
      window.axes.erase(i);
      op.set_output(0, call_window(op.emitter(), op.input(0), window));
    })
    .sample("row", {normal({3, 5})}, {{"axis", 0}, {"index", -1}})
    .sample_dtypes(kAny);

MYCEL_WRITES_ONNX(slice) {
  const IntList ones(call.shape().size(), 1);
  return window(call.input(), call.shape_of(), call.ints("begin"), call.shape(), ones);
}

}  // namespace mycel::ops
