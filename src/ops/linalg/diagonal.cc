// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstring>

#include "operator/define.h"
#include "operator/stored_call.h"
#include "ops/shape/mindir_windows.h"
#include "ops/shape/onnx_windows.h"

namespace mycel::ops {
namespace {

struct DiagonalRange {
  std::int64_t length, first_row, first_column;
};

DiagonalRange range_of(std::int64_t rows, std::int64_t columns, std::int64_t offset) {
  const std::int64_t first_row = offset < 0 ? std::min(rows, -std::max(offset, -rows)) : 0;
  const std::int64_t first_column = offset > 0 ? std::min(offset, columns) : 0;
  return {std::max<std::int64_t>(0, std::min(rows - first_row, columns - first_column)), first_row,
          first_column};
}

// The two axes made non-negative; they must differ.
void normalize_plane(InferContext& op, std::int64_t rank) {
  op.require(rank >= 2, ErrorKind::Value, "the dimension of 'input' must be at least 2, but got ",
             rank, ".");
  const std::int64_t a = op.normalize_axis("dim1", rank), b = op.normalize_axis("dim2", rank);
  op.require(a != b, ErrorKind::Value, "'dim1' and 'dim2' must differ, but both are ", a, ".");
}

Shape without(const Shape& shape, std::int64_t a, std::int64_t b) {
  Shape rest;
  for (std::size_t i = 0; i < shape.size(); ++i) {
    const auto axis = static_cast<std::int64_t>(i);
    if (axis != a && axis != b) rest.push_back(shape[i]);
  }
  return rest;
}

}  // namespace

MYCEL_OP(diagonal)
    .names({.function = "diagonal"})
    .doc("A diagonal of every matrix in the plane of two axes, as the last axis. A view.")
    .numpy("np.diagonal(input, offset, dim1, dim2)")
    .input("input", "At least two axes.")
    .attribute("offset", "0: the main diagonal; positive: above it.", 0)
    .attribute("dim1", "Axis of the rows.", 0)
    .attribute("dim2", "Axis of the columns.", 1)
    .output("output", "A view of `input`.")
    .infer([](InferContext& op) {
      const TensorSpec& x = op.input(0);
      normalize_plane(op, x.rank());
      const std::int64_t a = op.integer("dim1"), b = op.integer("dim2");
      Shape shape = without(x.shape, a, b);
      shape.push_back(range_of(x.shape[static_cast<std::size_t>(a)],
                               x.shape[static_cast<std::size_t>(b)], op.integer("offset"))
                          .length);
      op.set_output(0, x.dtype, shape);
    })
    .view([](ViewContext& op) {
      const auto a = static_cast<std::size_t>(op.integer("dim1"));
      const auto b = static_cast<std::size_t>(op.integer("dim2"));
      const Tensor& x = op.input();
      const DiagonalRange range = range_of(x.shape()[a], x.shape()[b], op.integer("offset"));
      Strides strides = without(x.strides(), op.integer("dim1"), op.integer("dim2"));
      strides.push_back(x.strides()[a] + x.strides()[b]);
      const std::int64_t start = range.length == 0 ? 0
                                                   : range.first_row * x.strides()[a] +
                                                         range.first_column * x.strides()[b];
      op.set_view(0, {op.output(0).shape, strides, x.body().offset + start});
      return true;
    })
    .gradient([](GradientContext& op) {
      op.set_input_gradient(0, op.call("diagonal_fill", {op.output_gradient(0)},
                                       {{"shape", op.input_shape(0)},
                                        {"offset", op.attribute("offset")},
                                        {"dim1", op.attribute("dim1")},
                                        {"dim2", op.attribute("dim2")}}));
    })
    .sample("matrix", {normal({3, 4})})
    .sample("above", {normal({3, 4})}, {{"offset", 2}})
    .sample("below, other axes", {normal({2, 4, 3})}, {{"offset", -1}, {"dim1", 1}, {"dim2", 2}})
    .sample("outside", {normal({2, 2})}, {{"offset", 5}})
    .sample_dtypes(kAny);

MYCEL_OP(diagonal_fill)
    .doc("Zeros of the given shape with `input` on a diagonal: the adjoint of `diagonal`.")
    .input("input", "Values of the diagonal as the last axis.")
    .attribute("shape", "Shape of the result.", required(AttributeType::Ints))
    .attribute("offset", "0: the main diagonal; positive: above it.", 0)
    .attribute("dim1", "Axis of the rows.", 0)
    .attribute("dim2", "Axis of the columns.", 1)
    .output("output", "Zero off the diagonal.")
    .infer([](InferContext& op) {
      const Shape shape = op.ints("shape");
      for (const std::int64_t length : shape) {
        op.require(length >= 0, ErrorKind::Value, "'shape' must not be negative, but got ",
                   to_string(shape), ".");
      }
      element_count(shape);
      normalize_plane(op, static_cast<std::int64_t>(shape.size()));
      const std::int64_t a = op.integer("dim1"), b = op.integer("dim2");
      Shape expected = without(shape, a, b);
      expected.push_back(range_of(shape[static_cast<std::size_t>(a)],
                                  shape[static_cast<std::size_t>(b)], op.integer("offset"))
                             .length);
      op.require(op.input(0).shape == expected, ErrorKind::Value, "the shape of 'input' must be ",
                 to_string(expected), ", but got ", to_string(op.input(0).shape), ".");
      op.set_output(0, op.input(0).dtype, shape);
    })
    .gradient([](GradientContext& op) {
      op.set_input_gradient(0, op.call("diagonal", {op.output_gradient(0)},
                                       {{"offset", op.attribute("offset")},
                                        {"dim1", op.attribute("dim1")},
                                        {"dim2", op.attribute("dim2")}}));
    })
    .sample("matrix", {normal({3})}, {{"shape", IntList{3, 4}}});

MYCEL_CPU_KERNEL(diagonal_fill) {
  const Tensor& y = kernel.output(0);
  std::memset(y.raw(), 0, y.bytes());
  const auto a = static_cast<std::size_t>(kernel.integer("dim1"));
  const auto b = static_cast<std::size_t>(kernel.integer("dim2"));
  const DiagonalRange range = range_of(y.shape()[a], y.shape()[b], kernel.integer("offset"));
  if (kernel.input(0).size() == 0) return;
  Strides strides = without(y.strides(), kernel.integer("dim1"), kernel.integer("dim2"));
  strides.push_back(y.strides()[a] + y.strides()[b]);
  const std::int64_t start = range.first_row * y.strides()[a] + range.first_column * y.strides()[b];
  copy_elements(kernel.input(0),
                Tensor::view(y, kernel.input(0).shape(), strides, y.body().offset + start));
}

MYCEL_OP(trace)
    .names({.primitive = "Trace", .function = "trace"})
    .doc("Sum of the main diagonal of a matrix.")
    .numpy("np.trace(input)")
    .input("input", "A matrix.", kNumber)
    .output("output", "One number.")
    .composite([](CompositeContext& op) {
      op.require(op.input(0).rank() == 2, ErrorKind::Value,
                 "the dimension of 'input' must be 2, but got ", op.input(0).rank(), ".");
      op.set_output(0, op.call("reduce_sum", {op.call("diagonal", {op.input(0)})}));
    })
    .sample("wide", {normal({3, 4})})
    .sample("square", {normal({3, 3})});

MYCEL_OP(diag)
    .names({.primitive = "Diag", .function = "diag", .method = "diag"})
    .doc("A tensor with twice the axes whose diagonal holds the input.")
    .numpy("np.diag(input.ravel()).reshape(input.shape * 2)")
    .input("input", "At least one axis.")
    .output("output", "Zero off the diagonal.")
    .composite([](CompositeContext& op) {
      const Shape shape = op.input(0).shape();
      op.require(!shape.empty(), ErrorKind::Value,
                 "the dimension of 'input' must be at least 1, but got a tensor without axes.");
      const std::int64_t count = element_count(shape);
      Shape doubled = shape;
      for (const std::int64_t length : shape) doubled.push_back(length);
      const Value line = op.call("reshape", {op.input(0)}, {{"shape", Shape{count}}});
      const Value matrix = op.call("diagonal_fill", {line}, {{"shape", Shape{count, count}}});
      op.set_output(0, op.call("reshape", {matrix}, {{"shape", doubled}}));
    })
    .sample("vector", {normal({3})})
    .sample("matrix", {normal({2, 3})});

MYCEL_OP(eye)
    .names({.primitive = "Eye", .function = "eye"})
    .doc("Ones on the main diagonal, zeros elsewhere.")
    .numpy("np.eye(n, m)")
    .attribute("n", "Rows.", required(AttributeType::Int), {.in_call = true})
    .attribute("m", "Columns; None: as many as rows.", optional(AttributeType::Int),
               {.in_call = true})
    .attribute("dtype", "Element type; None: float32.", optional(AttributeType::DType),
               {.in_call = true})
    .output("output", "An n x m matrix.")
    .infer([](InferContext& op) {
      if (op.is_none("m")) op.set_attribute("m", op.integer("n"));
      if (op.is_none("dtype")) op.set_attribute("dtype", DType::Float32);
      for (const std::string_view side : {"n", "m"}) {
        op.require(op.integer(side) >= 0, ErrorKind::Value, "'", side,
                   "' must be at least 0, but got ", op.integer(side), ".");
      }
      const Shape shape{op.integer("n"), op.integer("m")};
      element_count(shape);
      op.set_output(0, op.dtype("dtype"), shape);
    })
    .not_differentiable()
    .sample("wide", {}, {{"n", 3}, {"m", 4}})
    .sample("square", {}, {{"n", 3}});

MYCEL_CPU_KERNEL(eye) {
  const Tensor& y = kernel.output(0);
  std::memset(y.raw(), 0, y.bytes());
  const std::int64_t columns = y.shape()[1];
  with_any_type(y.dtype(), [&]<class T>() {
    for (std::int64_t i = 0; i < std::min(y.shape()[0], columns); ++i) {
      y.data<T>()[i * columns + i] = T(1);
    }
  });
}

MYCEL_ONNX(EyeLike, "input.shape") {
  const Value like = call.tensor("input");
  call.require(like.rank() == 2, ErrorKind::Value, "the input must have 2 axes, but has ",
               like.rank(), ".");
  const std::int64_t shift = call.integer("k", 0);
  const Shape shape = like.shape();
  constexpr std::int64_t kMost = std::int64_t{1} << 40;
  call.require(-kMost <= shift && shift <= kMost, ErrorKind::Value, "'k' is out of range.");
  const auto count = [&](std::int64_t first, std::int64_t length) {
    return call.call("arange", {},
                     {{"start", first}, {"end", first + length}, {"dtype", DType::Int64}});
  };
  const Value rows = call.reshape(count(shift, shape[0]), {shape[0], 1});
  const Value is_one = call.call("equal", {rows, count(0, shape[1])});
  return call.cast(is_one, stored_type(call.integer("dtype", 0)).value_or(like.dtype()));
}

MYCEL_WRITES_MINDIR(diagonal) {
  const std::int64_t rank = call.rank_of();
  const IntList order = others_first(rank, {call.axis("dim1", rank), call.axis("dim2", rank)});
  auto x = call.input().transpose(order);
  const std::int64_t columns = x.size(rank - 1);
  x = x.reshape(joint({cut(x.shape(), 0, rank - 2), {x.size(rank - 2) * columns}}));
  const std::int64_t start = call.integer("offset");
  const std::int64_t first = start < 0 ? -start * columns : start;
  const auto place = [&](std::int64_t i) { return first + i * (columns + 1); };
  return x.take(mindir::Table::of(call.shape().back(), place), rank - 2);
}

MYCEL_WRITES_MINDIR(diagonal_fill) {
  const std::int64_t rank = call.rank();
  const IntList order = others_first(rank, {call.axis("dim1", rank), call.axis("dim2", rank)});
  const std::int64_t rows = call.shape()[static_cast<std::size_t>(order[order.size() - 2])];
  const std::int64_t columns = call.shape()[static_cast<std::size_t>(order.back())];
  const std::int64_t start = call.integer("offset");
  const auto x = call.typed();
  const auto count = static_cast<std::size_t>(rows * columns);
  mindir::Table mask{{rows, columns}, std::vector<double>(count)};
  mindir::Table source = mask;
  for (std::int64_t i = 0; i < x.shape().back(); ++i) {
    const std::int64_t row = i + std::max<std::int64_t>(-start, 0);
    const auto place = static_cast<std::size_t>(row * columns + row + start);
    mask.values[place] = 1;
    source.values[place] = static_cast<double>(i);
  }
  const auto taken = x.take(source, x.rank() - 1);
  return (taken * x.table(mask)).transpose(undone(order));
}

MYCEL_WRITES_ONNX(diagonal) {
  const Shape& shape = call.shape_of();
  const std::int64_t rank = call.rank_of();
  const std::int64_t first = call.axis("dim1", rank), second = call.axis("dim2", rank);
  const std::int64_t rows = shape[static_cast<std::size_t>(first)];
  const std::int64_t columns = shape[static_cast<std::size_t>(second)];
  const IntList order = others_first(rank, {first, second});
  Shape kept;
  for (const std::int64_t axis : cut(order, 0, rank - 2))
    kept.push_back(shape[static_cast<std::size_t>(axis)]);
  const std::int64_t down = std::max<std::int64_t>(-call.integer("offset"), 0);
  const std::int64_t right = std::max<std::int64_t>(call.integer("offset"), 0);
  IntList places;
  for (std::int64_t i = 0; i < call.shape().back(); ++i)
    places.push_back((i + down) * columns + i + right);
  return call.input()
      .transpose(order)
      .reshape(joint({kept, {rows * columns}}))
      .take(places, rank - 2);
}

}  // namespace mycel::ops
