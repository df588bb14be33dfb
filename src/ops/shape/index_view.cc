// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "ops/onnx_arguments.h"
#include "ops/shape/fill_value.h"
#include "ops/shape/mindir_windows.h"
#include "ops/shape/onnx_windows.h"
#include "ops/shape/window.h"

namespace mycel::ops {

Window whole_window(const Shape& shape) {
  Window window{IntList(shape.size(), 0), shape, IntList(shape.size(), 1), {}};
  for (std::size_t i = 0; i < shape.size(); ++i)
    window.axes.push_back(static_cast<std::int64_t>(i));
  return window;
}

Shape window_shape(const Window& window) {
  Shape shape;
  for (const std::int64_t axis : window.axes) {
    shape.push_back(axis < 0 ? 1 : window.length[static_cast<std::size_t>(axis)]);
  }
  return shape;
}

ViewSpec window_view(const Tensor& base, const Window& window) {
  ViewSpec view{window_shape(window), {}, base.body().offset};
  const bool empty = element_count(window.length) == 0;  // may begin past the end
  for (std::size_t i = 0; i < window.begin.size(); ++i) {
    if (!empty) view.offset += window.begin[i] * base.strides()[i];
  }
  for (const std::int64_t axis : window.axes) {
    const auto i = static_cast<std::size_t>(axis);
    view.strides.push_back(axis < 0 ? 0 : window.step[i] * base.strides()[i]);
  }
  return view;
}

Tensor window_of(const Tensor& base, const Window& window) {
  const ViewSpec view = window_view(base, window);
  return Tensor::view(base, view.shape, view.strides, view.offset);
}

Window read_window(const AttributeReader& op) {
  return {op.ints("begin"), op.ints("length"), op.ints("step"), op.ints("axes")};
}

Value spread_window(Emitter& emitter, const Value& gradient, const Window& window,
                    const Shape& shape) {
  return emitter.call("index_view_spread", {gradient},
                      {{"shape", shape},
                       {"begin", window.begin},
                       {"length", window.length},
                       {"step", window.step},
                       {"axes", window.axes}});
}

Value call_window(Emitter& emitter, const Value& input, const Window& window) {
  return emitter.call("index_view", {input},
                      {{"begin", window.begin},
                       {"length", window.length},
                       {"step", window.step},
                       {"axes", window.axes}});
}

namespace {

bool axis_fits(std::int64_t size, std::int64_t begin, std::int64_t length, std::int64_t step) {
  if (length < 0) return false;
  if (length == 0) return true;
  if (begin < 0 || begin >= size) return false;
  std::int64_t way = 0;
  std::int64_t last = 0;
  if (__builtin_mul_overflow(length - 1, step, &way) || __builtin_add_overflow(begin, way, &last))
    return false;
  return last >= 0 && last < size;
}

void check_window(const AttributeReader& op, const Window& window, const Shape& shape) {
  const std::size_t rank = shape.size();
  op.require(
      window.begin.size() == rank && window.length.size() == rank && window.step.size() == rank,
      ErrorKind::Value,
      "'begin', 'length' and 'step' must have one entry per axis of the input, but got ",
      window.begin, ", ", window.length, " and ", window.step, " for shape ", shape, ".");
  for (std::size_t i = 0; i < rank; ++i) {
    op.require(axis_fits(shape[i], window.begin[i], window.length[i], window.step[i]),
               ErrorKind::Index, "'begin' ", window.begin[i], ", 'length' ", window.length[i],
               " and 'step' ", window.step[i], " do not fit axis ", i, " with size ", shape[i],
               ".");
  }
  std::vector<bool> used(rank, false);
  for (const std::int64_t axis : window.axes) {
    if (axis < 0) continue;
    const auto i = static_cast<std::size_t>(axis);
    op.require(i < rank && !used[i], ErrorKind::Value,
               "'axes' must name axes of the input once, but got ", window.axes, ".");
    used[i] = true;
  }
  for (std::size_t i = 0; i < rank; ++i) {
    op.require(used[i] || window.length[i] == 1, ErrorKind::Value, "axis ", i,
               " that is dropped must have 'length' 1", ", but got ", window.length[i], ".");
  }
}

void infer_update(InferContext& op) {
  const Window window = read_window(op);
  check_window(op, window, op.input(0).shape);
  const Shape target = window_shape(window);
  op.require(broadcast_shapes(op.input(1).shape, target, op.name()) == target, ErrorKind::Value,
             "the shape of 'value' must broadcast to ", target, ", but got ", op.input(1).shape,
             ".");
  op.cast_input(1, op.input(0).dtype);
  op.set_output(0, op.input(0).dtype, op.input(0).shape);
}

void write_window(const Tensor& base, const Window& window, const Tensor& value) {
  const Tensor target = window_of(base, window);
  const Strides strides = broadcast_strides(value.shape(), value.strides(), target.shape());
  copy_elements(Tensor::view(value, target.shape(), strides, value.body().offset), target);
}

Define& window_attributes(Define& op) {
  return op.attribute("begin", "First position on each input axis.", required(AttributeType::Ints))
      .attribute("length", "Number of positions on each input axis.", required(AttributeType::Ints))
      .attribute("step", "Distance between positions on each input axis.",
                 required(AttributeType::Ints))
      .attribute("axes", "Input axis behind each result axis; -1 for a new axis.",
                 required(AttributeType::Ints));
}

Define index_view_definition(std::string_view name, std::string_view doc) {
  Define op(name);
  op.doc(doc);
  return op;
}

Define define_view() {
  Define op = index_view_definition(
      "index_view", "Reads through a strided window; basic Python indexing as one view.");
  op.input("input", "Any tensor.");
  window_attributes(op)
      .output("output", "A view of `input`.")
      .infer([](InferContext& context) {
        const Window window = read_window(context);
        check_window(context, window, context.input(0).shape);
        context.set_output(0, context.input(0).dtype, window_shape(window));
      })
      .view([](ViewContext& context) {
        context.set_view(0, window_view(context.input(), read_window(context)));
        return true;
      })
      .gradient([](GradientContext& context) {
        context.set_input_gradient(0, spread_window(context.emitter(), context.output_gradient(0),
                                                    read_window(context), context.input_shape(0)));
      })
      .sample("row, reversed columns, new axis", {normal({3, 5, 2})},
              {{"begin", IntList{1, 4, 0}},
               {"length", IntList{1, 3, 2}},
               {"step", IntList{1, -2, 1}},
               {"axes", IntList{1, -1, 2}}})
      .sample("scalar", {normal({2})},
              {{"begin", IntList{1}},
               {"length", IntList{1}},
               {"step", IntList{1}},
               {"axes", IntList{}}})
      .sample("nothing", {normal({4})},
              {{"begin", IntList{4}},
               {"length", IntList{0}},
               {"step", IntList{1}},
               {"axes", IntList{0}}})
      .sample_dtypes(kAny);
  return op;
}

Define define_spread() {
  Define op = index_view_definition(
      "index_view_spread", "Zeros of a given shape with `value` written through a window.");
  op.input("value", "What the window shows afterwards.")
      .attribute("shape", "Shape of the result.", required(AttributeType::Ints));
  window_attributes(op)
      .output("output", "Zeros outside of the window.")
      .infer([](InferContext& context) {
        const Window window = read_window(context);
        check_window(context, window, context.ints("shape"));
        context.require(window_shape(window) == context.input(0).shape, ErrorKind::Value,
                        "the shape of 'value' must be ", window_shape(window), ", but got ",
                        context.input(0).shape, ".");
        context.set_output(0, context.input(0).dtype, context.ints("shape"));
      })
      .gradient([](GradientContext& context) {
        context.set_input_gradient(
            0, call_window(context.emitter(), context.output_gradient(0), read_window(context)));
      })
      .sample("every second", {normal({2, 2})},
              {{"shape", IntList{2, 4}},
               {"begin", IntList{0, 1}},
               {"length", IntList{2, 2}},
               {"step", IntList{1, 2}},
               {"axes", IntList{0, 1}}})
      .sample_dtypes(kAny);
  return op;
}

Define define_update() {
  Define op = index_view_definition("index_view_update",
                                    "A copy of `input` with `value` written through a window.");
  op.input("input", "Any tensor.")
      .input("value", "Broadcast to the window and converted to the input's type.");
  window_attributes(op)
      .output("output", "Same shape and type as `input`.")
      .infer(infer_update)
      .gradient([](GradientContext& context) {
        const Window window = read_window(context);
        const Value dy = context.output_gradient(0);
        if (context.wants(0)) {
          const Value zero = context.call(
              "fill", {}, {{"shape", IntList{}}, {"value", 0}, {"dtype", context.input_dtype(0)}});
          context.set_input_gradient(0, context.call("index_view_update", {dy, zero},
                                                     {{"begin", window.begin},
                                                      {"length", window.length},
                                                      {"step", window.step},
                                                      {"axes", window.axes}}));
        }
        if (context.wants(1)) {
          const Value seen = call_window(context.emitter(), dy, window);
          context.set_input_gradient(1, sum_to(seen, context.input_specs[1]));
        }
      })
      .sample("a column", {normal({3, 4}), normal({3})},
              {{"begin", IntList{0, 2}},
               {"length", IntList{3, 1}},
               {"step", IntList{1, 1}},
               {"axes", IntList{0}}})
      .sample("stretched value", {normal({3, 4}), normal({})},
              {{"begin", IntList{0, 3}},
               {"length", IntList{2, 2}},
               {"step", IntList{1, -2}},
               {"axes", IntList{0, 1}}})
      .sample_dtypes(kAny);
  return op;
}

Define define_assign() {
  Define op = index_view_definition("index_view_assign",
                                    "Writes `value` through a window of `input`, in place.");
  op.input("input", "The tensor that changes.")
      .input("value", "Broadcast to the window and converted to the input's type.");
  window_attributes(op)
      .in_place_output("output", "`input`.", 0)
      .infer(infer_update)
      .effects()
      .not_differentiable()
      .sample("a row", {normal({3, 4}), normal({4})},
              {{"begin", IntList{1, 0}},
               {"length", IntList{1, 4}},
               {"step", IntList{1, 1}},
               {"axes", IntList{1}}})
      .sample_dtypes(kAny);
  return op;
}

const Define index_view_operators[] = {define_view(), define_spread(), define_update(),
                                       define_assign()};

}  // namespace

MYCEL_CPU_KERNEL(index_view_spread) {
  const Tensor& output = kernel.output(0);
  fill_tensor(output, 0);
  copy_elements(kernel.input(0), window_of(output, read_window(kernel)));
}

MYCEL_CPU_KERNEL(index_view_update) {
  copy_elements(kernel.input(0), kernel.output(0));
  write_window(kernel.output(0), read_window(kernel), kernel.input(1));
}

MYCEL_CPU_KERNEL(index_view_assign) {
  write_window(kernel.input(0), read_window(kernel), kernel.input(1));
}

// The positions that a range of an axis means, as Python has ranges.
struct AxisRange {
  AxisRange(const StoredCall& call, std::int64_t start, std::int64_t end, std::int64_t stride,
            std::int64_t size)
      : step(stride) {
    constexpr std::int64_t kFarthest = std::numeric_limits<std::int64_t>::max();
    call.require(step != 0 && step >= -kFarthest, ErrorKind::Value, "it cannot step by ", step,
                 ".");
    const std::int64_t lowest = step > 0 ? 0 : -1, highest = step > 0 ? size : size - 1;
    const auto inside = [&](std::int64_t place) {
      return std::clamp(place < 0 ? place + size : place, lowest, highest);
    };
    begin = inside(start);
    const std::int64_t stop = inside(end);
    if (step > 0 && begin < stop) length = (stop - begin - 1) / step + 1;
    if (step < 0 && begin > stop) length = (begin - stop - 1) / -step + 1;
    if (length == 0) begin = 0;
  }
  std::int64_t begin = 0, length = 0, step;
};

MYCEL_ONNX(Slice, "data starts.numbers ends.numbers axes.numbers steps.numbers") {
  const Value x = call.tensor("data");
  const Shape shape = x.shape();
  const IntList starts = call.flat_integers("starts"), ends = call.flat_integers("ends");
  IntList axes = onnx_axes(call).value_or(IntList());
  for (std::size_t i = 0; i < starts.size() && !call.has("axes"); ++i)
    axes.push_back(static_cast<std::int64_t>(i));
  const IntList steps = call.has("steps") ? call.flat_integers("steps") : IntList(starts.size(), 1);
  call.require(
      ends.size() == starts.size() && axes.size() == starts.size() && steps.size() == starts.size(),
      ErrorKind::Value, "starts, ends, axes and steps must be equally many.");
  IntList begin(shape.size(), 0), length = shape, step(shape.size(), 1), all(shape.size(), 0);
  std::iota(all.begin(), all.end(), 0);
  for (std::size_t i = 0; i < starts.size(); ++i) {
    const auto axis = static_cast<std::size_t>(onnx_axis(call, axes[i], x.rank()));
    const AxisRange range(call, starts[i], ends[i], steps[i], shape[axis]);
    begin[axis] = range.begin;
    length[axis] = range.length;
    step[axis] = range.step;
  }
  return call.call("index_view", {x},
                   {{"begin", begin}, {"length", length}, {"step", step}, {"axes", all}});
}

// The axes of a window in the order in which the result has them; -1 for a new one.
static IntList shown_axes(const OperatorUse& call) {
  IntList kept = call.ints("axes");
  kept.resize(static_cast<std::size_t>(std::remove(kept.begin(), kept.end(), -1) - kept.begin()));
  return others_first(static_cast<std::int64_t>(call.ints("length").size()), kept);
}

MYCEL_WRITES_MINDIR(index_view) {
  const auto part =
      window(call.input(), call.ints("begin"), call.ints("length"), call.ints("step"));
  return part.transpose(shown_axes(call)).reshape(call.shape());
}

// Where the elements of a window stand in the whole, in the order in which the window shows them.
struct ShownWindow {
  Shape shape;
  written::Table places;
};

static ShownWindow shown_window(const OperatorUse& call) {
  const IntList begin = call.ints("begin");
  const IntList length = call.ints("length");
  const IntList step = call.ints("step");
  const Strides whole = contiguous_strides(call.shape());
  std::int64_t offset = 0;
  Shape sizes, shown;
  Strides strides;
  for (std::size_t i = 0; i < begin.size(); ++i) offset += begin[i] * whole[i];
  for (const std::int64_t axis : shown_axes(call)) {
    const auto i = static_cast<std::size_t>(axis);
    sizes.push_back(length[i]);
    strides.push_back(step[i] * whole[i]);
  }
  for (const std::int64_t axis : call.ints("axes"))
    shown.push_back(axis < 0 ? 1 : length[static_cast<std::size_t>(axis)]);
  return {shown, strided_places(sizes, strides, offset)};
}

// Writes a value to where a window of the result stands.
static mindir::Symbol with_window(const mindir::Call& call, const mindir::Symbol& flat,
                                  const mindir::Symbol& value) {
  const auto [shown, places] = shown_window(call);
  const std::int64_t count = places.shape[0];
  const auto values = value.broadcast(shown).reshape({count});
  const auto tuples = values.table({{count, 1}, places.values}, DType::Int32);
  return flat.add("TensorScatterUpdate", {tuples, values}, {.shape = flat.shape()})
      .reshape(call.shape());
}

MYCEL_WRITES_MINDIR(index_view_update) {
  const auto flat = call.input().reshape({element_count(call.shape())});
  return with_window(call, flat, call.typed(1));
}
MYCEL_WRITES_MINDIR_BY(index_view_assign, writes_mindir_index_view_update);

MYCEL_WRITES_MINDIR(index_view_spread) {
  const auto zeros = call.filled({element_count(call.shape())}, 0);
  return with_window(call, zeros, call.typed(0));
}

// The axes of a window in the order in which the result has them.
static onnx::Symbol shown(onnx::Symbol x, std::int64_t rank, const IntList& axes) {
  IntList kept, added;
  for (std::size_t i = 0; i < axes.size(); ++i) {
    if (axes[i] < 0)
      added.push_back(static_cast<std::int64_t>(i));
    else
      kept.push_back(axes[i]);
  }
  const IntList order = others_first(rank, kept);
  const IntList gone = cut(order, 0, rank - static_cast<std::int64_t>(kept.size()));
  if (!gone.empty()) x = x.squeeze(gone);
  IntList sorted = kept;
  std::sort(sorted.begin(), sorted.end());
  if (kept != sorted) {
    IntList places;
    for (const std::int64_t axis : kept)
      places.push_back(std::find(sorted.begin(), sorted.end(), axis) - sorted.begin());
    x = x.transpose(places);
  }
  return added.empty() ? x : x.unsqueeze(added);
}

MYCEL_WRITES_ONNX(index_view) {
  const auto part = window(call.input(), call.shape_of(), call.ints("begin"), call.ints("length"),
                           call.ints("step"));
  return shown(part, call.rank_of(), call.ints("axes"));
}

MYCEL_WRITES_ONNX(index_view_update) {
  call.refuse_parameter(0);
  const ShownWindow window = shown_window(call);
  const auto values = flat(call.typed(1).expand(window.shape), window.shape);
  const auto places = call.table(window.places, DType::Int64);
  return flat(call.input(), call.shape())
      .add("ScatterElements", {places, values}, {{"axis", 0}})
      .reshape(call.shape());
}
MYCEL_WRITES_ONNX_BY(index_view_assign, writes_onnx_index_view_update);

}  // namespace mycel::ops
