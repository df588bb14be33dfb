// SPDX-License-Identifier: Apache-2.0
#include "backend/cpu/half_tensor.h"
#include "operator/define.h"
#include "operator/onnx_call.h"
#include "ops/reduce/mindir_reductions.h"
#include "ops/reduce/reduction.h"
#include "platform/thread/parallel_for.h"

namespace mycel::ops {
namespace {

// Cell range of output i of `out` along an axis of `in` cells.
struct Range {
  std::int64_t begin, end;
};
Range range_of(std::int64_t i, std::int64_t in, std::int64_t out) {
  return {i * in / out, ((i + 1) * in + out - 1) / out};
}

// Calls visit(output cell, input cell, 1 / cells) for every pair of one plane.
template <class T, class Visit>
void for_each_pair(std::int64_t height, std::int64_t width, std::int64_t out_height,
                   std::int64_t out_width, const Visit& visit) {
  for (std::int64_t oy = 0; oy < out_height; ++oy) {
    const Range rows = range_of(oy, height, out_height);
    for (std::int64_t ox = 0; ox < out_width; ++ox) {
      const Range columns = range_of(ox, width, out_width);
      const T factor = T(1) / T((rows.end - rows.begin) * (columns.end - columns.begin));
      for (std::int64_t y = rows.begin; y < rows.end; ++y) {
        for (std::int64_t x = columns.begin; x < columns.end; ++x) {
          visit(oy * out_width + ox, y * width + x, factor);
        }
      }
    }
  }
}

enum class Direction : std::uint8_t { Shrink, Spread };

void run_planes(KernelContext& kernel, Direction direction) {
  const Tensor x = backend::widened(kernel.input(0));
  const Tensor y = backend::wide_like(kernel.output(0));
  const std::size_t rank = x.shape().size();
  const Tensor& large = direction == Direction::Shrink ? x : y;
  const Tensor& small = direction == Direction::Shrink ? y : x;
  const std::int64_t height = large.shape()[rank - 2], width = large.shape()[rank - 1];
  const std::int64_t out_height = small.shape()[rank - 2], out_width = small.shape()[rank - 1];
  const std::int64_t cells = height * width, out_cells = out_height * out_width;
  if (large.size() == 0 || small.size() == 0) {
    std::fill_n(y.data<char>(), y.bytes(), char(0));
    return backend::narrow_into(y, kernel.output(0));
  }
  const auto run = [&]<class T>() {
    platform::parallel_for(large.size() / cells, cells, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t p = begin; p < end; ++p) {
        const T* from = x.data<T>() + p * (direction == Direction::Shrink ? cells : out_cells);
        T* to = y.data<T>() + p * (direction == Direction::Shrink ? out_cells : cells);
        std::fill_n(to, direction == Direction::Shrink ? out_cells : cells, T(0));
        for_each_pair<T>(height, width, out_height, out_width,
                         [&](std::int64_t out, std::int64_t in, T factor) {
                           if (direction == Direction::Shrink) {
                             to[out] += from[in] * factor;
                           } else {
                             to[in] += from[out] * factor;
                           }
                         });
      }
    });
  };
  if (x.dtype() == DType::Float64) {
    run.operator()<double>();
  } else {
    run.operator()<float>();
  }
  backend::narrow_into(y, kernel.output(0));
}

// Shape with its last two lengths replaced by the attribute; -1 keeps a length.
Shape resized(InferContext& op, std::string_view attribute) {
  Shape shape = op.input(0).shape;
  op.require(shape.size() == 3 || shape.size() == 4, ErrorKind::Value,
             "the dimension of the input must be 3 or 4, but got ", op.input(0).rank(), ".");
  const IntList given = op.ints(attribute);
  op.require(given.size() == 1 || given.size() == 2, ErrorKind::Value, "'", attribute,
             "' must be one or two ints, but got ", given, ".");
  for (std::size_t i = 0; i < 2; ++i) {
    const std::int64_t wanted = given[given.size() == 1 ? 0 : i];
    op.require(wanted >= -1, ErrorKind::Value, "'", attribute, "' must not be negative, but got ",
               given, ".");
    if (wanted >= 0) shape[shape.size() - 2 + i] = wanted;
  }
  op.set_attribute(attribute, IntList{shape[shape.size() - 2], shape[shape.size() - 1]});
  return shape;
}

}  // namespace

MYCEL_OP(adaptive_avg_pool2d)
    .names({.primitive = "AdaptiveAvgPool2D", .function = "adaptive_avg_pool2d"})
    .doc("Means over as many windows as asked for; they cover the plane evenly.")
    .input("input", "(N, C, H, W) or (C, H, W).", kFloating)
    .attribute("output_size", "An int or (height, width); None keeps a length.",
               required(AttributeType::Ints), {.none_element = -1})
    .output("output", "With planes of `output_size`.")
    .infer([](InferContext& op) {
      op.set_output(0, op.input(0).dtype, resized(op, "output_size"));
    })
    .gradient([](GradientContext& op) {
      const Shape& shape = op.input_shape(0);
      op.set_input_gradient(
          0, op.call("adaptive_avg_pool2d_gradient", {op.output_gradient(0)},
                     {{"input_size", IntList{shape[shape.size() - 2], shape[shape.size() - 1]}}}));
    })
    .sample("uneven", {normal({1, 2, 5, 7})}, {{"output_size", IntList{3, 4}}})
    .sample("one cell", {normal({2, 2, 4, 4})}, {{"output_size", IntList{1}}})
    .sample_dtypes(kFloating);
// One window is a mean over two axes, and rounded as that is.
MYCEL_CPU_KERNEL(adaptive_avg_pool2d) {
  const Tensor &x = kernel.input(0), &y = kernel.output(0);
  const std::int64_t rank = x.rank();
  const Shape& means = y.shape();
  const bool is_one_window = means.back() == 1 && means[means.size() - 2] == 1;
  if (is_one_window && x.size() > 0)
    cpu::reduce(cpu::ReduceKind::Mean, x, {rank - 2, rank - 1}, y);
  else
    run_planes(kernel, Direction::Shrink);
}

MYCEL_OP(adaptive_avg_pool2d_gradient)
    .doc("Adjoint of adaptive_avg_pool2d.")
    .input("output_gradient", "Gradient of the means.", kFloating)
    .attribute("input_size", "Height and width of the planes.", required(AttributeType::Ints))
    .output("input_gradient", "With planes of `input_size`.")
    .infer([](InferContext& op) { op.set_output(0, op.input(0).dtype, resized(op, "input_size")); })
    .gradient([](GradientContext& op) {
      const Shape& shape = op.input_shape(0);
      op.set_input_gradient(
          0, op.call("adaptive_avg_pool2d", {op.output_gradient(0)},
                     {{"output_size", IntList{shape[shape.size() - 2], shape[shape.size() - 1]}}}));
    })
    .sample("uneven", {normal({1, 2, 3, 4})}, {{"input_size", IntList{5, 7}}});
MYCEL_CPU_KERNEL(adaptive_avg_pool2d_gradient) { run_planes(kernel, Direction::Spread); }

MYCEL_WRITES_MINDIR(adaptive_avg_pool2d) {
  const auto x = call.input();
  const std::int64_t rank = x.rank(), rows = call.shape()[call.shape().size() - 2],
                     columns = call.shape().back();
  if (rows == 1 && columns == 1) return reduced(x, "ReduceMean", {rank - 2, rank - 1});
  return x.add("AdaptiveAvgPool2D", {}, {.shape = call.shape()},
               {{"output_size", IntList{rows, columns}}});
}

// The share that every position has in every mean: a row for each mean, or a column.
static onnx::Table shares(std::int64_t inputs, std::int64_t outputs, bool are_columns) {
  onnx::Table table =
      onnx::Table::filled(are_columns ? Shape{inputs, outputs} : Shape{outputs, inputs}, 0);
  for (std::int64_t i = 0; i < outputs; ++i) {
    const std::int64_t first = i * inputs / outputs;
    const std::int64_t end = ((i + 1) * inputs + outputs - 1) / outputs;
    for (std::int64_t j = first; j < end; ++j) {
      const std::int64_t place = are_columns ? j * outputs + i : i * inputs + j;
      table.values[static_cast<std::size_t>(place)] = 1.0 / static_cast<double>(end - first);
    }
  }
  return table;
}

MYCEL_WRITES_ONNX(adaptive_avg_pool2d) {
  const auto x = call.input();
  const Shape &from = call.shape_of(), &to = call.shape();
  const std::size_t last = to.size() - 1;
  const std::int64_t height = from[last - 1], width = from[last];
  const std::int64_t rows = to[last - 1], columns = to[last];
  const bool are_images = to.size() == 4;
  if (are_images && rows == 1 && columns == 1) return x.add("GlobalAveragePool");
  if (are_images && height % rows == 0 && width % columns == 0) {
    const IntList size{height / rows, width / columns};
    return x.add("AveragePool", {}, {{"kernel_shape", size}, {"strides", size}});
  }
  const auto across = call.table(shares(width, columns, true));
  return call.table(shares(height, rows, false)).add("MatMul", {x}).add("MatMul", {across});
}

}  // namespace mycel::ops
