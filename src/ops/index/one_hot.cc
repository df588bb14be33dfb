// SPDX-License-Identifier: Apache-2.0
#include "operator/mindir_call.h"
#include "ops/index/rows.h"
#include "ops/onnx_arguments.h"
#include "ops/shape/fill_value.h"
#include "ops/shape/onnx_windows.h"
#include "platform/thread/parallel_for.h"
#include "tensor/number.h"

namespace mycel::ops {
namespace {

struct OnOff {
  Tensor on, off;  // one element each, of the result's type
};

Tensor single(const KernelContext& kernel, std::size_t i, DType dtype, int fallback) {
  if (kernel.has_input(i)) return kernel.input(i);
  Tensor value = Tensor::empty({}, dtype);
  fill_tensor(value, fallback);
  return value;
}

}  // namespace

MYCEL_OP(one_hot)
    .names({.primitive = "OneHot", .function = "one_hot"})
    .doc(
        "A vector per index with `on_value` at the index and `off_value` elsewhere; out of range "
        "gives no `on_value`.")
    .numpy(
        "np.moveaxis(np.where(indices[..., None] == np.arange(depth), 1 if on_value is None else "
        "on_value, 0 if "
        "off_value is None else off_value), -1, axis)")
    .input("indices", "Whole numbers.", kIndex)
    .optional_input("on_value", "Value at the index; 1 by default.")
    .optional_input("off_value", "Value elsewhere; 0 by default.")
    .attribute("depth", "Length of the vectors.", required(AttributeType::Int), {.in_call = true})
    .attribute("axis", "Where the new axis goes.", -1)
    .order({"indices", "depth", "on_value", "off_value", "axis"})
    .output("output", "One axis more; int64, or the type of the values given.")
    .infer([](InferContext& op) {
      const std::int64_t axis = op.normalize_axis("axis", op.input(0).rank() + 1);
      op.require(op.integer("depth") >= 0, ErrorKind::Value,
                 "'depth' must not be negative, but got ", op.integer("depth"), ".");
      DType dtype = DType::Int64;
      if (op.has_input(1)) dtype = op.input(1).dtype;
      if (op.has_input(2))
        dtype = op.has_input(1) ? promote(dtype, op.input(2).dtype) : op.input(2).dtype;
      for (const std::size_t i : {std::size_t{1}, std::size_t{2}}) {
        if (!op.has_input(i)) continue;
        op.require(element_count(op.input(i).shape) == 1, ErrorKind::Value, "'",
                   op.definition().inputs[i].name, "' must have one element, but got shape ",
                   op.input(i).shape, ".");
        if (op.input(i).dtype != dtype) op.cast_input(i, dtype);
      }
      Shape shape = op.input(0).shape;
      shape.insert(static_cast<std::size_t>(axis), op.integer("depth"));
      op.set_output(0, dtype, shape);
    })
    .not_differentiable()
    .sample("last axis", {integers({2, 3}, -1, 5), absent(), absent()}, {{"depth", 4}})
    .sample("first axis", {integers({3}, 0, 4, DType::Int32), number(2), number(-1)},
            {{"depth", 4}, {"axis", 0}})
    .sample("scalar", {integers({}, 0, 3), number(1.0), number(0.0)}, {{"depth", 3}})
    .sample("depth 0", {integers({2}, 0, 3), absent(), absent()}, {{"depth", 0}});

MYCEL_CPU_KERNEL(one_hot) {
  const Tensor& output = kernel.output(0);
  if (output.size() == 0) return;
  const auto axis = static_cast<std::size_t>(kernel.integer("axis"));
  const Tensor indices = kernel.dense(0);
  const std::int64_t depth = output.shape()[axis];
  const std::int64_t inner = span_of(output.shape(), axis + 1, output.shape().size());
  const OnOff values{single(kernel, 1, output.dtype(), 1), single(kernel, 2, output.dtype(), 0)};
  with_bits_type(output.dtype(), [&]<class T>() {
    const T on = *values.on.data<T>();
    const T off = *values.off.data<T>();
    T* const data = output.data<T>();
    with_integer_type(indices.dtype(), [&]<class Index>() {
      const Index* const given = indices.data<Index>();
      platform::parallel_for(
          indices.size() / inner, depth * inner, [&](std::int64_t begin, std::int64_t end) {
            std::fill(data + begin * depth * inner, data + end * depth * inner, off);
            for (std::int64_t i = begin * inner; i < end * inner; ++i) {
              const auto index = static_cast<std::int64_t>(given[i]);
              if (index >= 0 && index < depth)
                data[(i / inner * depth + index) * inner + i % inner] = on;
            }
          });
    });
  });
}

MYCEL_ONNX(OneHot, "indices depth.numbers values") {
  const Value given = call.cast(call.tensor("indices"), DType::Int64);
  const std::vector<double> depths = call.reals("depth");
  call.require(depths.size() == 1 && depths[0] >= 0 && depths[0] < 0x1p40, ErrorKind::Value,
               "the depth must be one number that is not negative.");
  const auto depth = static_cast<std::int64_t>(depths[0]);
  const auto number = [&](std::int64_t value) { return call.emitter().integer(value); };
  const Value places =
      call.call("where", {call.call("less", {given, number(0)}), given + number(depth), given});
  const Value values = call.tensor("values");
  return call.call("one_hot", {places, row(values, 1), row(values, 0)},
                   {{"depth", depth}, {"axis", call.integer("axis", -1)}});
}

// 1 at the largest element along an axis; before version 13 along this and all later ones together.
MYCEL_ONNX(Hardmax, "input") {
  const Value whole = call.tensor("input");
  const Shape shape = whole.shape();
  std::int64_t axis = onnx_axis(call, call.integer("axis", call.version() >= 13 ? -1 : 1),
                                std::max<std::int64_t>(whole.rank(), 1));
  Value x = whole;
  if (call.version() < 13) {
    IntList kept(shape.begin(), shape.begin() + axis);
    kept.push_back(element_count(Shape(shape.begin() + axis, shape.end())));
    x = call.reshape(whole, kept);
  }
  const Value largest = call.call("argmax", {x}, {{"axis", axis}});
  const Value one = call.constant(number_tensor(1.0)), none = call.constant(number_tensor(0.0));
  const Value found =
      call.call("one_hot", {largest, one, none},
                {{"depth", x.shape()[static_cast<std::size_t>(axis)]}, {"axis", axis}});
  return call.reshape(call.cast(found, whole.dtype()), shape);
}

MYCEL_WRITES_MINDIR(one_hot) {
  const std::int64_t axis = call.axis("axis", call.rank());
  const auto on = call.has(1) ? call.typed(1).reshape({}) : call.number(1);
  const auto off = call.has(2) ? call.typed(2).reshape({}) : call.number(0);
  return call.input().add("OneHot", {mindir::Plain(call.attribute("depth")), on, off},
                          {.shape = call.shape(), .dtype = call.dtype()},
                          {{"axis", axis == call.rank() - 1 ? -1 : axis}});
}

// By comparison, as indices out of range choose nothing here.
MYCEL_WRITES_ONNX(one_hot) {
  const std::int64_t axis = call.axis("axis", call.rank());
  const std::int64_t depth = call.integer("depth");
  const Shape along = with_size(Shape(call.shape().size(), 1), axis, depth);
  const auto numbers = call.table(onnx::Table::positions(depth).shaped(along), DType::Int64);
  const auto is_such = call.input(0, DType::Int64).unsqueeze({axis}).equals(numbers);
  const auto on = call.has(1) ? call.typed(1).reshape({}) : call.number(1);
  const auto off = call.has(2) ? call.typed(2).reshape({}) : call.number(0);
  return is_such.where(on, off);
}

}  // namespace mycel::ops
