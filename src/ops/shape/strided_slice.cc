// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "ops/shape/mindir_windows.h"
#include "ops/shape/onnx_windows.h"
#include "ops/shape/window.h"

namespace mycel::ops {
namespace {

struct Masks {
  std::int64_t begin, end, ellipsis, new_axis, shrink_axis;
  static bool has(std::int64_t mask, std::size_t bit) {
    return bit < 63 && ((mask >> bit) & 1) != 0;
  }
};

Masks read_masks(const AttributeReader& op) {
  return {op.integer("begin_mask"), op.integer("end_mask"), op.integer("ellipsis_mask"),
          op.integer("new_axis_mask"), op.integer("shrink_axis_mask")};
}

// One entry begin:end:stride on an axis, by Python's rules for slices.
void cut_axis(Window& window, std::size_t axis, std::int64_t size, std::int64_t begin,
              std::int64_t end, std::int64_t stride, bool from_edge, bool to_edge) {
  const std::int64_t low = stride > 0 ? 0 : -1;
  const std::int64_t high = stride > 0 ? size : size - 1;
  const auto clamp = [&](std::int64_t position) {
    return std::clamp(position < 0 ? position + size : position, low, high);
  };
  const std::int64_t first = from_edge ? (stride > 0 ? low : high) : clamp(begin);
  const std::int64_t last = to_edge ? (stride > 0 ? high : low) : clamp(end);
  const std::int64_t distance = stride > 0 ? last - first : first - last;
  // Counted without adding the stride, which may be as large as an int gets.
  const std::int64_t magnitude = stride > 0 ? stride : (stride == INT64_MIN ? INT64_MAX : -stride);
  window.begin[axis] = first;
  window.length[axis] = distance <= 0 ? 0 : (distance - 1) / magnitude + 1;
  window.step[axis] = window.length[axis] <= 1 ? 1 : stride;
}

void take_one(const AttributeReader& op, Window& window, std::size_t axis, std::int64_t size,
              std::int64_t position) {
  op.require(position >= -size && position < size, ErrorKind::Index, "index ", position,
             " is out of bounds for dimension with size ", size, ".");
  window.begin[axis] = position < 0 ? position + size : position;
  window.length[axis] = 1;
}

Window strided_window(const AttributeReader& op, const Shape& shape) {
  const IntList begin = op.ints("begin");
  const IntList end = op.ints("end");
  const IntList strides = op.is_none("strides") ? IntList(begin.size(), 1) : op.ints("strides");
  const Masks masks = read_masks(op);
  op.require(begin.size() == end.size() && begin.size() == strides.size(), ErrorKind::Value,
             "'begin', 'end' and 'strides' must have the same length, but got ", begin, ", ", end,
             " and ", strides, ".");
  std::size_t consumed = 0;  // input axes that entries other than the ellipsis take
  for (std::size_t k = 0; k < begin.size(); ++k) {
    if (!Masks::has(masks.ellipsis, k) && !Masks::has(masks.new_axis, k)) ++consumed;
  }
  op.require(consumed <= shape.size(), ErrorKind::Value,
             "'begin' must not have more entries than the input has axes, ", shape.size(),
             ", but got ", begin, ".");
  Window window = whole_window(shape);
  window.axes.clear();
  std::size_t axis = 0;
  bool seen_ellipsis = false;
  for (std::size_t k = 0; k < begin.size(); ++k) {
    if (Masks::has(masks.ellipsis, k)) {
      op.require(!seen_ellipsis, ErrorKind::Value,
                 "'ellipsis_mask' must have at most one bit that applies.");
      seen_ellipsis = true;
      for (std::size_t rest = shape.size() - consumed; rest > 0; --rest) {
        window.axes.push_back(static_cast<std::int64_t>(axis++));
      }
    } else if (Masks::has(masks.new_axis, k)) {
      window.axes.push_back(-1);
    } else if (Masks::has(masks.shrink_axis, k)) {
      take_one(op, window, axis, shape[axis], begin[k]);
      ++axis;
    } else {
      op.require(strides[k] != 0, ErrorKind::Value, "'strides' cannot contain 0, but got ", strides,
                 ".");
      cut_axis(window, axis, shape[axis], begin[k], end[k], strides[k], Masks::has(masks.begin, k),
               Masks::has(masks.end, k));
      window.axes.push_back(static_cast<std::int64_t>(axis++));
    }
  }
  for (; axis < shape.size(); ++axis) window.axes.push_back(static_cast<std::int64_t>(axis));
  return window;
}

}  // namespace

MYCEL_OP(strided_slice)
    .names({.primitive = "StridedSlice", .function = "strided_slice"})
    .doc(
        "Slices with first position, end and stride per entry; bits of the masks give entries "
        "another meaning. A view.")
    .input("input_x", "Any tensor.")
    .attribute("begin", "First position of each entry.", required(AttributeType::Ints),
               {.in_call = true})
    .attribute("end", "Position after the last of each entry.", required(AttributeType::Ints),
               {.in_call = true})
    .attribute("strides", "Distance between positions, not zero; None means ones.",
               optional(AttributeType::Ints), {.in_call = true})
    .attribute("begin_mask", "Entries that start at the edge.", 0)
    .attribute("end_mask", "Entries that end at the edge.", 0)
    .attribute("ellipsis_mask", "The entry that stands for all axes not mentioned.", 0)
    .attribute("new_axis_mask", "Entries that add an axis of length one.", 0)
    .attribute("shrink_axis_mask", "Entries that take one position and drop the axis.", 0)
    .output("output", "A view of `input_x`.")
    .infer([](InferContext& op) {
      op.set_output(0, op.input(0).dtype, window_shape(strided_window(op, op.input(0).shape)));
    })
    .view([](ViewContext& op) {
      op.set_view(0, window_view(op.input(), strided_window(op, op.input().shape())));
      return true;
    })
    .gradient([](GradientContext& op) {
      const Window window = strided_window(op, op.input_shape(0));
      op.set_input_gradient(
          0, spread_window(op.emitter(), op.output_gradient(0), window, op.input_shape(0)));
    })
    .numpy(
        "input_x[tuple(np.s_[b:e:s] for b, e, s in zip(begin, end, strides))] if not (begin_mask "
        "or end_mask or "
        "ellipsis_mask or new_axis_mask or shrink_axis_mask) else input_x[..., None, 1::2, 2]")
    .sample("strides", {normal({4, 5})},
            {{"begin", IntList{0, 4}}, {"end", IntList{4, 0}}, {"strides", IntList{2, -2}}})
    .sample("masks", {normal({2, 4, 3})},
            {{"begin", IntList{0, 0, 1, 2}},
             {"end", IntList{0, 0, 1, 3}},
             {"strides", IntList{1, 1, 2, 1}},
             {"end_mask", 4},
             {"ellipsis_mask", 1},
             {"new_axis_mask", 2},
             {"shrink_axis_mask", 8}})
    .sample("nothing", {normal({3})},
            {{"begin", IntList{2}}, {"end", IntList{1}}, {"strides", IntList{1}}})
    .sample_dtypes(kAny);

// By the positions that are chosen, as kernels refuse some masks.
MYCEL_WRITES_MINDIR(strided_slice) {
  const auto x = call.input();
  const Window chosen = strided_window(call, x.shape());
  return window(x, chosen.begin, chosen.length, chosen.step).reshape(call.shape());
}

MYCEL_WRITES_ONNX(strided_slice) {
  const Window chosen = strided_window(call, call.shape_of());
  return window(call.input(), call.shape_of(), chosen.begin, chosen.length, chosen.step)
      .reshape(call.shape());
}

}  // namespace mycel::ops
