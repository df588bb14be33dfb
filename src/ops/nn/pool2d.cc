// SPDX-License-Identifier: Apache-2.0
// Maximum and mean over windows of (N, C, H, W), and what their gradients need.
#include <algorithm>

#include "backend/cpu/half_tensor.h"
#include "backend/cpu/loops/pool_loops.h"
#include "operator/blocking.h"
#include "operator/define.h"
#include "ops/nn/pool_window.h"
#include "ops/nn/sliding_window.h"
#include "platform/thread/parallel_for.h"

namespace mycel::ops {
namespace {

void require_planes(const InferContext& op) {
  op.require(op.input(0).rank() == 4, ErrorKind::Value,
             "the dimension of the input must be 4, but got ", op.input(0).rank(), ".");
}

Pair plane_of(const Shape& shape) { return {shape[2], shape[3]}; }

// float for everything but float64
template <class Body>
void with_wide_type(DType dtype, const Body& body) {
  if (dtype == DType::Float64) {
    body.template operator()<double>();
  } else {
    body.template operator()<float>();
  }
}

void require_index_range(const InferContext& op, const Pair& size) {
  op.require(size[0] == 0 || size[1] <= ((std::int64_t{1} << 31) - 1) / size[0], ErrorKind::Value,
             "a plane must have fewer than 2^31 cells, but got (", size[0], ", ", size[1], ").");
}

bool all_inside(const std::int32_t* cells, std::int64_t count, std::int64_t limit) {
  std::uint32_t largest = 0;
  for (std::int64_t i = 0; i < count; ++i) {
    largest = std::max(largest, static_cast<std::uint32_t>(cells[i]));  // negative ones become huge
  }
  return count == 0 || largest < limit;
}

NamedAttribute passed_on(GradientContext& op, std::string_view name) {
  return {name, op.attribute(name)};
}

void average_rule(GradientContext& op) {
  const Shape& shape = op.input_shape(0);
  op.set_input_gradient(0, op.call("avg_pool2d_gradient", {op.output_gradient(0)},
                                   {{"input_size", IntList{shape[2], shape[3]}},
                                    passed_on(op, "kernel_size"),
                                    passed_on(op, "stride"),
                                    passed_on(op, "pad"),
                                    passed_on(op, "ceil_mode"),
                                    passed_on(op, "count_include_pad"),
                                    passed_on(op, "divisor_override")}));
}

// Positions lie beside their values.
bool plan_blocked_maxima(BlockPlan& plan) {
  if (!block_first(plan)) return false;
  plan.results = {0, 1};
  return true;
}

bool plan_scattering_blocks(BlockPlan& plan) {
  plan.operands = {0, 1};
  plan.results = {0};
  return plan.input(0).dtype == DType::Float32;
}

}  // namespace

MYCEL_OP(max_pool2d)
    .doc("Largest value of every window of a plane, and where in the plane it stands.")
    .input("input", "(N, C, H, W).", kFloating)
    .attribute("kernel_size", "Height, width.", required(AttributeType::Ints))
    .attribute("stride", "Height, width.", IntList{1, 1})
    .attribute("pad", "Top, bottom, left, right.", IntList{0, 0, 0, 0})
    .attribute("dilation", "Height, width.", IntList{1, 1})
    .attribute("ceil_mode", "Also count windows that reach over the end.", false)
    .output("output", "(N, C, H', W').")
    .output("indices", "Position in the plane, row by row; int32.")
    .infer([](InferContext& op) {
      require_planes(op);
      const Shape& x = op.input(0).shape;
      require_index_range(op, plane_of(x));
      const backend::PoolWindow w = pool_window_of(op, plane_of(x));
      op.require(w.pad_top < w.dilation_height * (w.kernel_height - 1) + 1 &&
                     w.pad_left < w.dilation_width * (w.kernel_width - 1) + 1,
                 ErrorKind::Value, "'pad' must be smaller than the window, but got ",
                 op.ints("pad"), ".");
      const Shape shape{x[0], x[1], w.out_height, w.out_width};
      op.set_output(0, op.input(0).dtype, shape);
      op.set_output(1, DType::Int32, shape);
    })
    .gradient([](GradientContext& op) {
      const Shape& shape = op.input_shape(0);
      op.set_input_gradient(0, op.call("plane_scatter", {op.output_gradient(0), op.output(1)},
                                       {{"size", IntList{shape[2], shape[3]}}}));
    })
    .keeps({"indices"})
    .traits({.plan_blocks = plan_blocked_maxima})
    .sample("plain", {normal({2, 3, 5, 6})}, {{"kernel_size", IntList{2, 2}}})
    .sample("stride and pad", {normal({1, 2, 7, 6})},
            {{"kernel_size", IntList{3, 3}},
             {"stride", IntList{2, 2}},
             {"pad", IntList{1, 1, 1, 1}}})
    .sample("dilation, ceiling", {normal({1, 2, 8, 7})},
            {{"kernel_size", IntList{2, 3}},
             {"stride", IntList{3, 2}},
             {"dilation", IntList{2, 1}},
             {"ceil_mode", true}})
    .sample_dtypes(kFloating);

MYCEL_CPU_KERNEL(max_pool2d) {
  const Tensor x = backend::widened(kernel.input(0));
  const Tensor y = backend::wide_like(kernel.output(0));
  if (y.size() == 0) return;
  const backend::PoolWindow w = pool_window_of(kernel, plane_of(x.shape()));
  const std::int64_t in = w.height * w.width, out = w.out_height * w.out_width;
  with_wide_type(x.dtype(), [&]<class T>() {
    platform::parallel_for(y.size() / out, in * 4, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t p = begin; p < end; ++p) {
        backend::pool_loops<T>().max(w, x.data<T>() + p * in, y.data<T>() + p * out,
                                     kernel.output(1).data<std::int32_t>() + p * out);
      }
    });
  });
  backend::narrow_into(y, kernel.output(0));
}

MYCEL_OP(plane_scatter)
    .doc("Adds every value to the cell of its plane that its index names.")
    .input("input", "(N, C, H', W').", kFloating)
    .input("indices", "Cells of a plane.", DTypeSet{DType::Int32})
    .attribute("size", "Height and width of a plane.", required(AttributeType::Ints))
    .output("output", "(N, C, H, W).")
    .infer([](InferContext& op) {
      require_planes(op);
      op.require(op.input(0).shape == op.input(1).shape, ErrorKind::Value,
                 "'input' and 'indices' must have the same shape, but got ", op.input(0).shape,
                 " and ", op.input(1).shape, ".");
      const Pair size = pair_of(op, "size");
      op.require(size[0] >= 0 && size[1] >= 0, ErrorKind::Value,
                 "'size' must not be negative, but got ", to_string(op.ints("size")), ".");
      require_index_range(op, size);
      op.set_output(0, op.input(0).dtype,
                    {op.input(0).shape[0], op.input(0).shape[1], size[0], size[1]});
    })
    .gradient([](GradientContext& op) {
      op.set_input_gradient(0, op.call("plane_gather", {op.output_gradient(0), op.input(1)}));
    })
    .keeps({"indices"})
    .traits({.plan_blocks = plan_scattering_blocks})
    .sample("plain", {normal({1, 2, 2, 2}), integers({1, 2, 2, 2}, 0, 12, DType::Int32)},
            {{"size", IntList{3, 4}}});

MYCEL_CPU_KERNEL(plane_scatter) {
  const Tensor x = backend::widened(kernel.input(0));
  const Tensor indices = kernel.dense(1);
  const Tensor y = backend::wide_like(kernel.output(0));
  const std::int64_t from = x.shape()[2] * x.shape()[3], to = y.shape()[2] * y.shape()[3];
  const std::int64_t planes = x.shape()[0] * x.shape()[1];
  with_wide_type(x.dtype(), [&]<class T>() {
    platform::parallel_for(planes, from * 2 + to, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t p = begin; p < end; ++p) {
        const std::int32_t* cells = indices.data<std::int32_t>() + p * from;
        kernel.require(all_inside(cells, from, to), ErrorKind::Index, "every index must be in [0, ",
                       to, ").");
        const T* values = x.data<T>() + p * from;
        T* plane = y.data<T>() + p * to;
        std::fill_n(plane, to, T(0));
        for (std::int64_t i = 0; i < from; ++i) plane[cells[i]] += values[i];
      }
    });
  });
  backend::narrow_into(y, kernel.output(0));
}

MYCEL_OP(plane_gather)
    .doc("The value of every cell that the indices name, plane by plane.")
    .input("input", "(N, C, H, W).", kFloating)
    .input("indices", "(N, C, H', W'), cells of a plane.", DTypeSet{DType::Int32})
    .output("output", "Shape of `indices`.")
    .infer([](InferContext& op) {
      require_planes(op);
      const Shape& x = op.input(0).shape;
      const Shape& i = op.input(1).shape;
      op.require(i.size() == 4 && i[0] == x[0] && i[1] == x[1], ErrorKind::Value,
                 "'indices' must have four axes and the first two of 'input', but got ", i, " and ",
                 x, ".");
      op.set_output(0, op.input(0).dtype, i);
    })
    .gradient([](GradientContext& op) {
      const Shape& shape = op.input_shape(0);
      op.set_input_gradient(0, op.call("plane_scatter", {op.output_gradient(0), op.input(1)},
                                       {{"size", IntList{shape[2], shape[3]}}}));
    })
    .keeps({"indices"})
    .sample("plain", {normal({1, 2, 3, 4}), integers({1, 2, 2, 2}, 0, 12, DType::Int32)});

MYCEL_CPU_KERNEL(plane_gather) {
  const Tensor x = kernel.dense(0);
  const Tensor indices = kernel.dense(1);
  const Tensor& y = kernel.output(0);
  const std::int64_t from = x.shape()[2] * x.shape()[3], to = y.shape()[2] * y.shape()[3];
  with_bits_type(x.dtype(), [&]<class T>() {
    for (std::int64_t i = 0; i < y.size(); ++i) {
      const std::int32_t cell = indices.data<std::int32_t>()[i];
      kernel.require(cell >= 0 && cell < from, ErrorKind::Index, "an index must be in [0, ", from,
                     "), but got ", cell, ".");
      y.data<T>()[i] = x.data<T>()[i / to * from + cell];
    }
  });
}

MYCEL_OP(avg_pool2d)
    .doc("Mean of every window of a plane.")
    .input("input", "(N, C, H, W).", kFloating)
    .attribute("kernel_size", "Height, width.", required(AttributeType::Ints))
    .attribute("stride", "Height, width.", IntList{1, 1})
    .attribute("pad", "Top, bottom, left, right.", IntList{0, 0, 0, 0})
    .attribute("ceil_mode", "Also count windows that reach over the end.", false)
    .attribute("count_include_pad", "Padded cells count in the divisor.", false)
    .attribute("divisor_override", "Divisor; 0: the number of cells.", 0)
    .output("output", "(N, C, H', W').")
    .infer([](InferContext& op) {
      require_planes(op);
      const Shape& x = op.input(0).shape;
      const backend::PoolWindow w = pool_window_of(op, plane_of(x));
      op.set_output(0, op.input(0).dtype, {x[0], x[1], w.out_height, w.out_width});
    })
    .gradient(average_rule)
    .traits({.plan_blocks = block_first})
    .sample("plain", {normal({2, 3, 5, 6})}, {{"kernel_size", IntList{2, 2}}})
    .sample("padding counts", {normal({1, 2, 7, 6})},
            {{"kernel_size", IntList{3, 3}},
             {"stride", IntList{2, 2}},
             {"pad", IntList{1, 1, 1, 1}},
             {"count_include_pad", true},
             {"ceil_mode", true}})
    .sample("padding does not count", {normal({1, 2, 7, 6})},
            {{"kernel_size", IntList{3, 3}},
             {"stride", IntList{2, 3}},
             {"pad", IntList{0, 1, 1, 1}}})
    .sample_dtypes(kFloating);

MYCEL_CPU_KERNEL(avg_pool2d) {
  const Tensor x = backend::widened(kernel.input(0));
  const Tensor y = backend::wide_like(kernel.output(0));
  if (y.size() == 0) return;
  const backend::PoolWindow w = pool_window_of(kernel, plane_of(x.shape()));
  const std::int64_t in = w.height * w.width, out = w.out_height * w.out_width;
  with_wide_type(x.dtype(), [&]<class T>() {
    platform::parallel_for(y.size() / out, in * 4, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t p = begin; p < end; ++p) {
        backend::pool_loops<T>().average(w, x.data<T>() + p * in, y.data<T>() + p * out);
      }
    });
  });
  backend::narrow_into(y, kernel.output(0));
}

MYCEL_OP(avg_pool2d_gradient)
    .doc("Adjoint of avg_pool2d: spreads every value over its window.")
    .input("output_gradient", "(N, C, H', W').", kFloating)
    .attribute("input_size", "Height and width of a plane.", required(AttributeType::Ints))
    .attribute("kernel_size", "Height, width.", required(AttributeType::Ints))
    .attribute("stride", "Height, width.", IntList{1, 1})
    .attribute("pad", "Top, bottom, left, right.", IntList{0, 0, 0, 0})
    .attribute("ceil_mode", "Also count windows that reach over the end.", false)
    .attribute("count_include_pad", "Padded cells count in the divisor.", false)
    .attribute("divisor_override", "Divisor; 0: the number of cells.", 0)
    .output("input_gradient", "(N, C, H, W).")
    .infer([](InferContext& op) {
      require_planes(op);
      const Shape& dy = op.input(0).shape;
      const Pair size = positive_pair_of(op, "input_size");
      const backend::PoolWindow w = pool_window_of(op, size);
      op.require(w.out_height == dy[2] && w.out_width == dy[3], ErrorKind::Value,
                 "the output gradient must have planes of (", w.out_height, ", ", w.out_width,
                 "), but got ", dy, ".");
      op.set_output(0, op.input(0).dtype, {dy[0], dy[1], size[0], size[1]});
    })
    .gradient([](GradientContext& op) {
      op.set_input_gradient(
          0, op.call("avg_pool2d", {op.output_gradient(0)},
                     {passed_on(op, "kernel_size"), passed_on(op, "stride"), passed_on(op, "pad"),
                      passed_on(op, "ceil_mode"), passed_on(op, "count_include_pad"),
                      passed_on(op, "divisor_override")}));
    })
    .traits({.plan_blocks = block_first})
    .sample("stride", {normal({1, 2, 3, 2})},
            {{"input_size", IntList{6, 5}},
             {"kernel_size", IntList{2, 2}},
             {"stride", IntList{2, 2}}});

MYCEL_CPU_KERNEL(avg_pool2d_gradient) {
  const Tensor dy = backend::widened(kernel.input(0));
  const Tensor dx = backend::wide_like(kernel.output(0));
  if (dx.size() == 0) return;
  const backend::PoolWindow w = pool_window_of(kernel, plane_of(dx.shape()));
  const std::int64_t in = w.height * w.width, out = w.out_height * w.out_width;
  with_wide_type(dy.dtype(), [&]<class T>() {
    platform::parallel_for(dx.size() / in, in * 4, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t p = begin; p < end; ++p) {
        backend::pool_loops<T>().average_gradient(w, dy.data<T>() + p * out, dx.data<T>() + p * in);
      }
    });
  });
  backend::narrow_into(dx, kernel.output(0));
}

}  // namespace mycel::ops
