// SPDX-License-Identifier: Apache-2.0
// conv2d and its adjoints on blocked activations, (N, C / block, H, W, block), in float32. Only
// passes write these operators, in place of checked ones.
#include "backend/cpu/convolution.h"
#include "operator/define.h"
#include "ops/nn/sliding_window.h"

namespace mycel::ops {
namespace {

constexpr DTypeSet kFloat32{DType::Float32};

backend::ConvolutionWindow window_of(const AttributeReader& op) {
  const IntList pad = op.ints("pad");
  const Pair stride = positive_pair_of(op, "stride"), dilation = positive_pair_of(op, "dilation");
  op.require(pad.size() == 4, ErrorKind::Value, "'pad' must be four ints, but got ", pad, ".");
  return {pad[0],      pad[1],      pad[2],
          pad[3],      stride[0],   stride[1],
          dilation[0], dilation[1], op.integer("groups")};
}

void require_blocked(const InferContext& op, std::size_t input) {
  op.require(op.input(input).rank() == 5, ErrorKind::Value, "'", op.definition().inputs[input].name,
             "' must be blocked, but got ", op.input(input).shape, ".");
}

Tensor input_or_none(const KernelContext& kernel, std::size_t i) {
  return kernel.has_input(i) ? kernel.dense(i) : Tensor();
}

}  // namespace

MYCEL_OP(blocked_conv2d)
    .internal()
    .doc("scale * (convolution + bias) + shift + residual, results blocked.")
    .input("input", "Blocked, or (N, C, H, W) with few channels.", kFloat32)
    .input("weight", "(out, C / groups, height, width).", kFloat32)
    .optional_input("bias", "(out,).", kFloat32)
    .optional_input("scale", "(out,).", kFloat32)
    .optional_input("shift", "(out,).", kFloat32)
    .optional_input("residual", "Like the output.", kFloat32)
    .attribute("pad", "Top, bottom, left, right.", IntList{0, 0, 0, 0})
    .attribute("stride", "Height, width.", IntList{1, 1})
    .attribute("dilation", "Height, width.", IntList{1, 1})
    .attribute("groups", "Groups of channels that do not mix.", 1)
    .attribute("block", "Channels that lie side by side.", required(AttributeType::Int))
    .output("output", "Blocked.")
    .infer([](InferContext& op) {
      const Shape& x = op.input(0).shape;
      const Shape& w = op.input(1).shape;
      op.require((x.size() == 4 || x.size() == 5) && w.size() == 4, ErrorKind::Value,
                 "images and weights must have four axes, but got ", x, " and ", w, ".");
      const backend::ConvolutionWindow window = window_of(op);
      const std::int64_t block = op.integer("block");
      op.set_output(0, DType::Float32,
                    {x[0], w[0] / block,
                     window_count(x[2], window.pad_top, window.pad_bottom, w[2],
                                  window.stride_height, window.dilation_height),
                     window_count(x[3], window.pad_left, window.pad_right, w[3],
                                  window.stride_width, window.dilation_width),
                     block});
    })
    .not_differentiable()
    .traits({.absorbs = {.scale = 3, .shift = 4, .addend = 5}});

MYCEL_CPU_KERNEL(blocked_conv2d) {
  const backend::ConvolutionFinish finish{input_or_none(kernel, 3), input_or_none(kernel, 4),
                                          input_or_none(kernel, 5)};
  backend::convolve_blocked(kernel.dense(0), kernel.dense(1), input_or_none(kernel, 2),
                            window_of(kernel), finish, kernel.output(0));
}

MYCEL_OP(blocked_conv2d_input_gradient)
    .internal()
    .doc("Adjoint of blocked_conv2d with respect to the images.")
    .input("output_gradient", "Blocked.", kFloat32)
    .input("weight", "(out, C / groups, height, width).", kFloat32)
    .attribute("input_size", "Height and width of the images.", required(AttributeType::Ints))
    .attribute("pad", "Top, bottom, left, right.", IntList{0, 0, 0, 0})
    .attribute("stride", "Height, width.", IntList{1, 1})
    .attribute("dilation", "Height, width.", IntList{1, 1})
    .attribute("groups", "Groups of channels that do not mix.", 1)
    .output("input_gradient", "Blocked.")
    .infer([](InferContext& op) {
      require_blocked(op, 0);
      const Shape& dy = op.input(0).shape;
      const Pair size = positive_pair_of(op, "input_size");
      const std::int64_t channels = op.input(1).shape[1] * op.integer("groups");
      op.set_output(0, DType::Float32, {dy[0], channels / dy[4], size[0], size[1], dy[4]});
    })
    .not_differentiable();

MYCEL_CPU_KERNEL(blocked_conv2d_input_gradient) {
  backend::convolve_blocked_input_gradient(kernel.dense(0), kernel.dense(1), window_of(kernel),
                                           kernel.output(0));
}

MYCEL_OP(blocked_conv2d_weight_gradient)
    .internal()
    .doc("Adjoint of blocked_conv2d with respect to the weights.")
    .input("input", "Blocked, or (N, C, H, W) with few channels.", kFloat32)
    .input("output_gradient", "Blocked.", kFloat32)
    .attribute("kernel_size", "Height and width of the weights.", required(AttributeType::Ints))
    .attribute("pad", "Top, bottom, left, right.", IntList{0, 0, 0, 0})
    .attribute("stride", "Height, width.", IntList{1, 1})
    .attribute("dilation", "Height, width.", IntList{1, 1})
    .attribute("groups", "Groups of channels that do not mix.", 1)
    .output("weight_gradient", "(out, C / groups, height, width).")
    .infer([](InferContext& op) {
      require_blocked(op, 1);
      const Shape& x = op.input(0).shape;
      const Shape& dy = op.input(1).shape;
      const Pair size = positive_pair_of(op, "kernel_size");
      const std::int64_t channels = x.size() == 5 ? x[1] * x[4] : x[1];
      op.set_output(0, DType::Float32,
                    {dy[1] * dy[4], channels / op.integer("groups"), size[0], size[1]});
    })
    .not_differentiable();

MYCEL_CPU_KERNEL(blocked_conv2d_weight_gradient) {
  backend::convolve_blocked_weight_gradient(kernel.dense(0), kernel.dense(1), window_of(kernel),
                                            kernel.output(0));
}

}  // namespace mycel::ops
