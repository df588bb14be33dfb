// SPDX-License-Identifier: Apache-2.0
// Pooling of blocked activations, (N, C / block, H, W, block), in float32. Only passes write these
// operators, in place of checked ones.
#include <algorithm>

#include "backend/cpu/loops/blocked_loops.h"
#include "operator/define.h"
#include "ops/nn/pool_window.h"
#include "platform/thread/parallel_for.h"

namespace mycel::ops {
namespace {

constexpr DTypeSet kFloat32{DType::Float32};

Pair plane_of(const Shape& shape) { return {shape[2], shape[3]}; }

Shape with_plane(const Shape& shape, const Pair& plane) {
  return {shape[0], shape[1], plane[0], plane[1], shape[4]};
}

void require_blocked(const InferContext& op) {
  op.require(op.input(0).rank() == 5, ErrorKind::Value, "the input must be blocked, but got ",
             op.input(0).shape, ".");
}

// Floats of one plane of vectors.
std::int64_t plane_size(const Tensor& tensor) {
  const Shape& shape = tensor.shape();
  return shape[2] * shape[3] * shape[4];
}

template <class Body>
void for_planes(const Tensor& tensor, std::int64_t work, const Body& body) {
  platform::parallel_for(tensor.shape()[0] * tensor.shape()[1], work,
                         [&](std::int64_t begin, std::int64_t end) {
                           for (std::int64_t plane = begin; plane < end; ++plane) body(plane);
                         });
}

void infer_window(InferContext& op) {
  require_blocked(op);
  const Shape& x = op.input(0).shape;
  const backend::PoolWindow w = pool_window_of(op, plane_of(x));
  const Shape shape = with_plane(x, {w.out_height, w.out_width});
  op.set_output(0, DType::Float32, shape);
  if (op.definition().outputs.size() == 2) op.set_output(1, DType::Int32, shape);
}

}  // namespace

MYCEL_OP(blocked_max_pool2d)
    .internal()
    .doc("Largest value of every window of a plane, and where in the plane it stands.")
    .input("input", "Blocked.", kFloat32)
    .attribute("kernel_size", "Height, width.", required(AttributeType::Ints))
    .attribute("stride", "Height, width.", IntList{1, 1})
    .attribute("pad", "Top, bottom, left, right.", IntList{0, 0, 0, 0})
    .attribute("dilation", "Height, width.", IntList{1, 1})
    .attribute("ceil_mode", "Also count windows that reach over the end.", false)
    .output("output", "Blocked.")
    .output("indices", "Cell of the plane, row by row; int32.")
    .infer(infer_window)
    .not_differentiable();

MYCEL_CPU_KERNEL(blocked_max_pool2d) {
  const Tensor x = kernel.dense(0);
  const Tensor& y = kernel.output(0);
  const backend::PoolWindow w = pool_window_of(kernel, plane_of(x.shape()));
  const std::int64_t in = plane_size(x), out = plane_size(y);
  for_planes(x, in * 4, [&](std::int64_t plane) {
    backend::blocked_loops().max_pool(w, x.data<float>() + plane * in,
                                      y.data<float>() + plane * out,
                                      kernel.output(1).data<std::int32_t>() + plane * out);
  });
}

MYCEL_OP(blocked_plane_scatter)
    .internal()
    .doc("Adds every value to the cell of its plane that its index names.")
    .input("input", "Blocked.", kFloat32)
    .input("indices", "Cells of a plane.", DTypeSet{DType::Int32})
    .attribute("size", "Height and width of a plane.", required(AttributeType::Ints))
    .output("output", "Blocked.")
    .infer([](InferContext& op) {
      require_blocked(op);
      op.set_output(0, DType::Float32, with_plane(op.input(0).shape, pair_of(op, "size")));
    })
    .not_differentiable();

MYCEL_CPU_KERNEL(blocked_plane_scatter) {
  const Tensor x = kernel.dense(0), indices = kernel.dense(1);
  const Tensor& y = kernel.output(0);
  const std::int64_t from = plane_size(x), to = plane_size(y);
  const std::int64_t cells = y.shape()[2] * y.shape()[3];
  for_planes(x, from * 2 + to, [&](std::int64_t plane) {
    const std::int32_t* where = indices.data<std::int32_t>() + plane * from;
    std::uint32_t largest = 0;
    for (std::int64_t i = 0; i < from; ++i)
      largest = std::max(largest, static_cast<std::uint32_t>(where[i]));
    kernel.require(from == 0 || largest < cells, ErrorKind::Index, "every index must be in [0, ",
                   cells, ").");
    float* target = y.data<float>() + plane * to;
    std::fill_n(target, to, 0.0F);
    backend::blocked_loops().scatter(x.data<float>() + plane * from, where,
                                     x.shape()[2] * x.shape()[3], target);
  });
}

MYCEL_OP(blocked_avg_pool2d)
    .internal()
    .doc("Mean of every window of a plane.")
    .input("input", "Blocked.", kFloat32)
    .attribute("kernel_size", "Height, width.", required(AttributeType::Ints))
    .attribute("stride", "Height, width.", IntList{1, 1})
    .attribute("pad", "Top, bottom, left, right.", IntList{0, 0, 0, 0})
    .attribute("ceil_mode", "Also count windows that reach over the end.", false)
    .attribute("count_include_pad", "Padded cells count in the divisor.", false)
    .attribute("divisor_override", "Divisor; 0: the number of cells.", 0)
    .output("output", "Blocked.")
    .infer(infer_window)
    .not_differentiable();

MYCEL_CPU_KERNEL(blocked_avg_pool2d) {
  const Tensor x = kernel.dense(0);
  const Tensor& y = kernel.output(0);
  const backend::PoolWindow w = pool_window_of(kernel, plane_of(x.shape()));
  const std::int64_t in = plane_size(x), out = plane_size(y);
  for_planes(x, in * 4, [&](std::int64_t plane) {
    backend::blocked_loops().average_pool(w, x.data<float>() + plane * in,
                                          y.data<float>() + plane * out);
  });
}

MYCEL_OP(blocked_avg_pool2d_gradient)
    .internal()
    .doc("Adjoint of blocked_avg_pool2d: spreads every value over its window.")
    .input("output_gradient", "Blocked.", kFloat32)
    .attribute("input_size", "Height and width of a plane.", required(AttributeType::Ints))
    .attribute("kernel_size", "Height, width.", required(AttributeType::Ints))
    .attribute("stride", "Height, width.", IntList{1, 1})
    .attribute("pad", "Top, bottom, left, right.", IntList{0, 0, 0, 0})
    .attribute("ceil_mode", "Also count windows that reach over the end.", false)
    .attribute("count_include_pad", "Padded cells count in the divisor.", false)
    .attribute("divisor_override", "Divisor; 0: the number of cells.", 0)
    .output("input_gradient", "Blocked.")
    .infer([](InferContext& op) {
      require_blocked(op);
      op.set_output(0, DType::Float32, with_plane(op.input(0).shape, pair_of(op, "input_size")));
    })
    .not_differentiable();

MYCEL_CPU_KERNEL(blocked_avg_pool2d_gradient) {
  const Tensor dy = kernel.dense(0);
  const Tensor& dx = kernel.output(0);
  const backend::PoolWindow w = pool_window_of(kernel, plane_of(dx.shape()));
  const std::int64_t in = plane_size(dx), out = plane_size(dy);
  for_planes(dx, in * 4, [&](std::int64_t plane) {
    backend::blocked_loops().average_pool_gradient(w, dy.data<float>() + plane * out,
                                                   dx.data<float>() + plane * in);
  });
}

}  // namespace mycel::ops
