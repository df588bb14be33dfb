// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "backend/cpu/convolution.h"

namespace mycel::backend {

enum class ConvolutionPass : std::uint8_t { Forward, InputGradient, WeightGradient };

// The three tensors of a convolution, all contiguous; which one is written follows from the pass.
// Activations with five axes are blocked: (N, C / block, H, W, block).
struct ConvolutionTensors {
  tensor::Tensor input, weight, bias, output;
};

// False: oneDNN declines the type on this machine, nothing was done. `finish` is for the forward
// pass.
bool dnnl_convolution(ConvolutionPass pass, const ConvolutionTensors& tensors,
                      const ConvolutionWindow& window, const ConvolutionFinish& finish = {});

}  // namespace mycel::backend
