// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "tensor/tensor.h"

namespace mycel::backend {

// Two spatial axes, NCHW activations, weights (out, in / groups, height, width).
struct ConvolutionWindow {
  std::int64_t pad_top = 0, pad_bottom = 0, pad_left = 0, pad_right = 0;
  std::int64_t stride_height = 1, stride_width = 1;
  std::int64_t dilation_height = 1, dilation_width = 1;
  std::int64_t groups = 1;
};

// All tensors of one call have one floating dtype; targets are contiguous, the rest has any
// strides. `bias` may be undefined. Empty tensors and empty sums (a gradient of zeros) are fine.
void convolve(const tensor::Tensor& input, const tensor::Tensor& weight, const tensor::Tensor& bias,
              const ConvolutionWindow& window, const tensor::Tensor& target);
// The adjoint with respect to the input; also a transposed convolution.
void convolve_input_gradient(const tensor::Tensor& output_gradient, const tensor::Tensor& weight,
                             const ConvolutionWindow& window, const tensor::Tensor& target);
void convolve_weight_gradient(const tensor::Tensor& input, const tensor::Tensor& output_gradient,
                              const ConvolutionWindow& window, const tensor::Tensor& target);

}  // namespace mycel::backend
