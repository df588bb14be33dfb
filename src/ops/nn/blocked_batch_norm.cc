// SPDX-License-Identifier: Apache-2.0
// Batch normalisation of blocked activations, (N, C / block, H, W, block), in float32. Only passes
// write these operators, in place of checked ones.
#include "backend/cpu/blocked_batch_norm.h"

#include <cmath>

#include "operator/define.h"

namespace mycel::ops {
namespace {

constexpr DTypeSet kFloat32{DType::Float32};

Tensor input_or_none(const KernelContext& kernel, std::size_t i) {
  return kernel.has_input(i) ? kernel.dense(i) : Tensor();
}

void require_blocked(const InferContext& op, std::size_t input) {
  op.require(op.input(input).rank() == 5, ErrorKind::Value, "'", op.definition().inputs[input].name,
             "' must be blocked, but got ", op.input(input).shape, ".");
}

Shape channels_of(const Shape& blocked) { return {blocked[1] * blocked[4]}; }

}  // namespace

MYCEL_OP(blocked_batch_norm_training)
    .internal()
    .doc(
        "Normalises every channel by its own mean and variance, then scales and shifts; a residual "
        "is added, negative results become 0.")
    .input("input", "Blocked.", kFloat32)
    .optional_input("scale", "(C,).", kFloat32)
    .optional_input("bias", "(C,).", kFloat32)
    .optional_input("residual", "Like the input.", kFloat32)
    .attribute("epsilon", "Added to the variance.", 1e-5)
    .attribute("activation", "What follows.", "none", {.choices = {"none", "relu", "relu6"}})
    .output("output", "Like the input.")
    .output("mean", "(C,).")
    .output("variance", "(C,), of the population.")
    .infer([](InferContext& op) {
      require_blocked(op, 0);
      op.set_output(0, op.input(0));
      op.set_output(1, DType::Float32, channels_of(op.input(0).shape));
      op.set_output(2, DType::Float32, channels_of(op.input(0).shape));
    })
    .not_differentiable()
    .traits({.absorbs = {.addend = 3,
                         .activation = "activation",
                         .gradient = "blocked_batch_norm_gradient",
                         .gradient_reads = {{false, 0}, {false, 1}, {true, 1}, {true, 2}},
                         .bias = 2,
                         .bias_of_gradient = 5}});

MYCEL_CPU_KERNEL(blocked_batch_norm_training) {
  backend::blocked_norm_training(
      kernel.dense(0), input_or_none(kernel, 3),
      {input_or_none(kernel, 1), input_or_none(kernel, 2), kernel.real("epsilon"),
       backend::activation_named(kernel.text("activation"))},
      kernel.output(0), kernel.output(1), kernel.output(2));
}

MYCEL_OP(blocked_batch_norm_inference)
    .internal()
    .doc("Normalises every channel by a given mean and variance, then scales and shifts.")
    .input("input", "Blocked.", kFloat32)
    .optional_input("scale", "(C,).", kFloat32)
    .optional_input("bias", "(C,).", kFloat32)
    .input("mean", "(C,).", kFloat32)
    .input("variance", "(C,).", kFloat32)
    .attribute("epsilon", "Added to the variance.", 1e-5)
    .output("output", "Like the input.")
    .infer([](InferContext& op) {
      require_blocked(op, 0);
      op.set_output(0, op.input(0));
    })
    .not_differentiable()
    .traits({.factors = "normalization_factors"});

MYCEL_CPU_KERNEL(blocked_batch_norm_inference) {
  backend::blocked_norm_inference(
      kernel.dense(0), {input_or_none(kernel, 1), input_or_none(kernel, 2), kernel.real("epsilon")},
      kernel.dense(3), kernel.dense(4), kernel.output(0));
}

MYCEL_OP(blocked_batch_norm_gradient)
    .internal()
    .doc(
        "Gradients of blocked_batch_norm_training; with `relu` the output gradient counts where "
        "the normalised input is positive.")
    .input("output_gradient", "Blocked.", kFloat32)
    .input("input", "Blocked.", kFloat32)
    .optional_input("scale", "(C,).", kFloat32)
    .input("mean", "(C,).", kFloat32)
    .input("variance", "(C,).", kFloat32)
    .optional_input("bias", "(C,), read with an activation only.", kFloat32)
    .attribute("epsilon", "Added to the variance.", 1e-5)
    .attribute("activation", "What followed.", "none", {.choices = {"none", "relu", "relu6"}})
    .output("input_gradient", "Like the input.")
    .output("scale_gradient", "(C,).")
    .output("bias_gradient", "(C,).")
    .infer([](InferContext& op) {
      require_blocked(op, 0);
      require_blocked(op, 1);
      op.set_output(0, op.input(1));
      op.set_output(1, DType::Float32, channels_of(op.input(1).shape));
      op.set_output(2, DType::Float32, channels_of(op.input(1).shape));
    })
    .not_differentiable();

MYCEL_CPU_KERNEL(blocked_batch_norm_gradient) {
  backend::blocked_norm_gradient(
      kernel.dense(0), kernel.dense(1),
      {input_or_none(kernel, 2), input_or_none(kernel, 5), kernel.real("epsilon"),
       backend::activation_named(kernel.text("activation"))},
      kernel.dense(3), kernel.dense(4), kernel.output(0), kernel.output(1), kernel.output(2));
}

MYCEL_OP(normalization_factors)
    .internal()
    .doc("What normalisation by known statistics multiplies by and adds.")
    .optional_input("scale", "(C,).", kFloat32)
    .optional_input("bias", "(C,).", kFloat32)
    .input("mean", "(C,).", kFloat32)
    .input("variance", "(C,).", kFloat32)
    .attribute("epsilon", "Added to the variance.", 1e-5)
    .output("factor", "scale / sqrt(variance + epsilon).")
    .output("addend", "bias - mean * factor.")
    .infer([](InferContext& op) {
      op.set_output(0, op.input(2));
      op.set_output(1, op.input(2));
    })
    .not_differentiable();

MYCEL_CPU_KERNEL(normalization_factors) {
  const Tensor scale = input_or_none(kernel, 0), bias = input_or_none(kernel, 1);
  const Tensor mean = kernel.dense(2), variance = kernel.dense(3);
  const auto epsilon = static_cast<float>(kernel.real("epsilon"));
  for (std::int64_t i = 0; i < mean.size(); ++i) {
    const float gamma = scale.defined() ? scale.data<float>()[i] : 1.0F;
    const float factor = gamma / std::sqrt(variance.data<float>()[i] + epsilon);
    kernel.output(0).data<float>()[i] = factor;
    kernel.output(1).data<float>()[i] =
        (bias.defined() ? bias.data<float>()[i] : 0.0F) - mean.data<float>()[i] * factor;
  }
}

}  // namespace mycel::ops
