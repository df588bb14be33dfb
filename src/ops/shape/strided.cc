// SPDX-License-Identifier: Apache-2.0
// Windows on memory: the elements of a dense tensor, in the order in which they lie, seen with any
// shape and strides. A tensor that shares memory with another one is such a window on it; these
// operators say so where what is shared has been written.
#include "operator/define.h"
#include "ops/shape/fill_value.h"
#include "ops/shape/mindir_windows.h"
#include "ops/shape/onnx_windows.h"
#include "tensor/overlap.h"

namespace mycel::ops {
namespace {

struct Layout {
  Shape shape;
  Strides strides;
  std::int64_t offset;
};

Tensor seen_with(const Tensor& dense, const Layout& layout) {
  return Tensor::view(dense, layout.shape, layout.strides, dense.body().offset + layout.offset);
}

Layout layout_of(const AttributeReader& op, const Shape& shape) {
  return {shape, op.ints("strides"), op.integer("offset")};
}

void check_layout(const AttributeReader& op, const Layout& layout, const Shape& base) {
  op.require(layout.strides.size() == layout.shape.size(), ErrorKind::Value,
             "'strides' must have one entry per axis of ", layout.shape, ", but got ",
             layout.strides, ".");
  __int128 first = layout.offset, last = layout.offset;  // of any numbers, so 64 bits may not do
  for (std::size_t i = 0; i < layout.shape.size(); ++i) {
    const __int128 way = static_cast<__int128>(layout.strides[i]) * (layout.shape[i] - 1);
    (way < 0 ? first : last) += way;
  }
  op.require(element_count(layout.shape) == 0 || (first >= 0 && last < element_count(base)),
             ErrorKind::Value, "a window of shape ", layout.shape, " with strides ", layout.strides,
             " from element ", layout.offset, " does not fit a tensor of shape ", base, ".");
}

Define& layout_attributes(Define& op) {
  return op
      .attribute("strides", "Elements from one element to the next, for each axis of the window.",
                 required(AttributeType::Ints))
      .attribute("offset", "The first element of the window.", 0);
}

// Adds along every axis that repeats elements; otherwise a copy is the same and quicker.
template <class T>
void add_window(const Tensor& value, const Tensor& window) {
  const Shape& shape = window.shape();
  const std::int64_t count = element_count(shape);
  IntList place(shape.size(), 0);
  T* to = window.data<T>();
  const T* from = value.data<T>();
  for (std::int64_t i = 0; i < count; ++i) {
    std::int64_t source = 0, target = 0;
    for (std::size_t axis = 0; axis < shape.size(); ++axis) {
      source += place[axis] * value.strides()[axis];
      target += place[axis] * window.strides()[axis];
    }
    to[target] = static_cast<T>(to[target] + from[source]);
    for (std::size_t axis = shape.size(); axis-- > 0;) {
      if (++place[axis] < shape[axis]) break;
      place[axis] = 0;
    }
  }
}

Define define_view() {
  Define op("strided_view");
  op.doc("A window on the elements of a dense tensor.")
      .input("input", "Seen as the row of its elements.")
      .attribute("shape", "Shape of the window.", required(AttributeType::Ints));
  layout_attributes(op)
      .output("output", "A view of `input`.")
      .infer([](InferContext& context) {
        const Shape shape = checked_shape(context, "shape");
        check_layout(context, layout_of(context, shape), context.input(0).shape);
        context.set_output(0, context.input(0).dtype, shape);
      })
      .view([](ViewContext& context) {
        if (!context.input().is_contiguous()) return false;
        const Layout layout = layout_of(context, context.output(0).shape);
        context.set_view(
            0, {layout.shape, layout.strides, context.input().body().offset + layout.offset});
        return true;
      })
      .gradient([](GradientContext& context) {
        context.set_input_gradient(0, context.call("strided_spread", {context.output_gradient(0)},
                                                   {{"shape", context.input_shape(0)},
                                                    {"strides", context.ints("strides")},
                                                    {"offset", context.integer("offset")}}));
      })
      .sample("columns backwards", {normal({3, 4})},
              {{"shape", IntList{2, 3}}, {"strides", IntList{-2, 4}}, {"offset", 3}})
      .sample("windows that overlap", {normal({6})},
              {{"shape", IntList{4, 3}}, {"strides", IntList{1, 1}}, {"offset", 0}})
      .sample("one element", {normal({2, 2})},
              {{"shape", IntList{}}, {"strides", IntList{}}, {"offset", 2}})
      .sample("nothing", {normal({4})},
              {{"shape", IntList{0, 2}}, {"strides", IntList{2, 1}}, {"offset", 4}})
      .sample_dtypes(kAny);
  return op;
}

Define define_spread() {
  Define op("strided_spread");
  op.doc("Zeros of a given shape, with `value` added through a window.")
      .input("value", "What the window adds.")
      .attribute("shape", "Shape of the result.", required(AttributeType::Ints));
  layout_attributes(op)
      .output("output", "Zeros outside of the window.")
      .infer([](InferContext& context) {
        const Shape shape = checked_shape(context, "shape");
        check_layout(context, layout_of(context, context.input(0).shape), shape);
        context.set_output(0, context.input(0).dtype, shape);
      })
      .gradient([](GradientContext& context) {
        context.set_input_gradient(0, context.call("strided_view", {context.output_gradient(0)},
                                                   {{"shape", context.input_shape(0)},
                                                    {"strides", context.ints("strides")},
                                                    {"offset", context.integer("offset")}}));
      })
      .sample("every second", {normal({2, 2})},
              {{"shape", IntList{2, 4}}, {"strides", IntList{4, 2}}, {"offset", 1}})
      .sample("windows that overlap", {normal({3, 2})},
              {{"shape", IntList{4}}, {"strides", IntList{1, 1}}, {"offset", 0}})
      .sample_dtypes(kAny);
  return op;
}

void infer_write(InferContext& context) {
  check_layout(context, layout_of(context, context.input(1).shape), context.input(0).shape);
  context.cast_input(1, context.input(0).dtype);
  context.set_output(0, context.input(0).dtype, context.input(0).shape);
}

Define define_update() {
  Define op("strided_update");
  op.doc("A copy of `input` with `value` written through a window.")
      .input("input", "Seen as the row of its elements.")
      .input("value", "What the window shows afterwards.");
  layout_attributes(op)
      .output("output", "Same shape and type as `input`.")
      .infer(infer_write)
      .gradient([](GradientContext& context) {
        const Value dy = context.output_gradient(0);
        const IntList strides = context.ints("strides");
        const std::int64_t offset = context.integer("offset");
        if (context.wants(0)) {
          const Value zeros = context.call(
              "fill", {},
              {{"shape", context.input_shape(1)}, {"value", 0}, {"dtype", context.input_dtype(0)}});
          context.set_input_gradient(0, context.call("strided_update", {dy, zeros},
                                                     {{"strides", strides}, {"offset", offset}}));
        }
        if (context.wants(1))
          context.set_input_gradient(1, context.call("strided_view", {dy},
                                                     {{"shape", context.input_shape(1)},
                                                      {"strides", strides},
                                                      {"offset", offset}}));
      })
      .sample("a column", {normal({3, 4}), normal({3})}, {{"strides", IntList{4}}, {"offset", 2}})
      .sample("turned", {normal({2, 3}), normal({3, 2})},
              {{"strides", IntList{1, 3}}, {"offset", 0}})
      .sample_dtypes(kAny);
  return op;
}

Define define_assign() {
  Define op("strided_assign");
  op.doc("Writes `value` through a window of `input`, in place.")
      .input("input", "The tensor that changes, seen as the row of its elements.")
      .input("value", "What the window shows afterwards.");
  layout_attributes(op)
      .in_place_output("output", "`input`.", 0)
      .infer(infer_write)
      .not_differentiable()
      .sample("a row", {normal({3, 4}), normal({4})}, {{"strides", IntList{1}}, {"offset", 4}})
      .sample_dtypes(kAny);
  return op;
}

const Define strided_operators[] = {define_view(), define_spread(), define_update(),
                                    define_assign()};

}  // namespace

MYCEL_CPU_KERNEL(strided_spread) {
  const Tensor& output = kernel.output(0);
  const Tensor& value = kernel.input(0);
  fill_tensor(output, 0);
  const Tensor window = seen_with(output, layout_of(kernel, value.shape()));
  if (!repeats_elements(window.shape(), window.strides())) {
    copy_elements(value, window);
    return;
  }
  with_any_type(value.dtype(), [&]<class T>() { add_window<T>(value, window); });
}

MYCEL_CPU_KERNEL(strided_update) {
  copy_elements(kernel.input(0), kernel.output(0));
  copy_elements(kernel.input(1),
                seen_with(kernel.output(0), layout_of(kernel, kernel.input(1).shape())));
}

MYCEL_CPU_KERNEL(strided_assign) {
  const Tensor& target = kernel.output(0);
  const Tensor dense = contiguous(target);  // the elements in a row, wherever they lie
  copy_elements(kernel.input(1), seen_with(dense, layout_of(kernel, kernel.input(1).shape())));
  if (!(dense == target)) copy_elements(dense, target);
}

static mindir::Symbol place_tuples(const mindir::Call& call, const mindir::Symbol& like,
                                   const Shape& shape) {
  const auto places = strided_places(shape, call.ints("strides"), call.integer("offset"));
  return like.table({{places.shape[0], 1}, places.values}, DType::Int32);
}

MYCEL_WRITES_MINDIR(strided_view) {
  const auto x = call.input();
  const auto flat = x.reshape({element_count(x.shape())});
  const auto places = place_tuples(call, flat, call.shape());
  return flat.add("GatherNd", {places}, {.shape = Shape{element_count(call.shape())}})
      .reshape(call.shape());
}

MYCEL_WRITES_MINDIR(strided_update) {
  const auto flat = call.input().reshape({element_count(call.shape())});
  const auto value = call.typed(1);
  const auto places = place_tuples(call, value, value.shape());
  const auto values = value.reshape({element_count(value.shape())});
  return flat.add("TensorScatterUpdate", {places, values}, {.shape = flat.shape()})
      .reshape(call.shape());
}
MYCEL_WRITES_MINDIR_BY(strided_assign, writes_mindir_strided_update);

static onnx::Symbol places_in_row(const onnx::Call& call, const Shape& shape) {
  return call.table(strided_places(shape, call.ints("strides"), call.integer("offset")),
                    DType::Int64);
}

MYCEL_WRITES_ONNX(strided_view) {
  const auto places = places_in_row(call, call.shape());
  return flat(call.input(), call.shape_of()).take(places, 0).reshape(call.shape());
}

MYCEL_WRITES_ONNX(strided_update) {
  call.refuse_parameter(0);
  const auto places = places_in_row(call, call.shape_of(1));
  const auto values = flat(call.typed(1), call.shape_of(1));
  return flat(call.input(), call.shape())
      .add("ScatterElements", {places, values}, {{"axis", 0}})
      .reshape(call.shape());
}
MYCEL_WRITES_ONNX_BY(strided_assign, writes_onnx_strided_update);

}  // namespace mycel::ops
