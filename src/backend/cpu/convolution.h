// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

#include "tensor/tensor.h"

namespace mycel::backend {

// Two spatial axes, NCHW activations, weights (out, in / groups, height, width).
struct ConvolutionWindow {
  std::int64_t pad_top = 0, pad_bottom = 0, pad_left = 0, pad_right = 0;
  std::int64_t stride_height = 1, stride_width = 1;
  std::int64_t dilation_height = 1, dilation_width = 1;
  std::int64_t groups = 1;
};

// What happens to a convolution's results before they are stored: scale * result + shift +
// residual. Each part may be undefined; scale and shift are float32 and hold a value per channel,
// the residual looks like the result.
struct ConvolutionFinish {
  tensor::Tensor scale, shift, residual;
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

// The same in float32 on blocked activations, (N, C / block, H, W, block), without a change of
// layout; an input of few channels may also be (N, C, H, W). All tensors are dense.
void convolve_blocked(const tensor::Tensor& input, const tensor::Tensor& weight,
                      const tensor::Tensor& bias, const ConvolutionWindow& window,
                      const ConvolutionFinish& finish, const tensor::Tensor& target);
void convolve_blocked_input_gradient(const tensor::Tensor& output_gradient,
                                     const tensor::Tensor& weight, const ConvolutionWindow& window,
                                     const tensor::Tensor& target);
void convolve_blocked_weight_gradient(const tensor::Tensor& input,
                                      const tensor::Tensor& output_gradient,
                                      const ConvolutionWindow& window,
                                      const tensor::Tensor& target);

}  // namespace mycel::backend
