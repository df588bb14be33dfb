// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

#include "tensor/tensor.h"

namespace mycel::backend {

// What happens to the normalised values before they are stored; NaN stays NaN.
enum class Activation : std::uint8_t { None, Relu, Relu6 };
inline Activation activation_named(std::string_view name) {
  if (name == "relu") return Activation::Relu;
  return name == "relu6" ? Activation::Relu6 : Activation::None;
}

// Batch normalisation of blocked activations, (N, C / block, H, W, block), in float32. All tensors
// are dense; `scale`, `bias`, `mean` and `variance` hold a value per channel. Scale and bias may be
// undefined (ones, zeros).
struct BlockedNormFactors {
  tensor::Tensor scale, bias;
  double epsilon = 1e-5;
  Activation activation = Activation::None;
};

// `residual`, unless undefined, is added before the activation. The variance is that of the
// population.
void blocked_norm_training(const tensor::Tensor& x, const tensor::Tensor& residual,
                           const BlockedNormFactors& factors, const tensor::Tensor& y,
                           const tensor::Tensor& mean, const tensor::Tensor& variance);
void blocked_norm_inference(const tensor::Tensor& x, const BlockedNormFactors& factors,
                            const tensor::Tensor& mean, const tensor::Tensor& variance,
                            const tensor::Tensor& y);
// With an activation, dy counts where that has a slope.
void blocked_norm_gradient(const tensor::Tensor& dy, const tensor::Tensor& x,
                           const BlockedNormFactors& factors, const tensor::Tensor& mean,
                           const tensor::Tensor& variance, const tensor::Tensor& dx,
                           const tensor::Tensor& dscale, const tensor::Tensor& dbias);

}  // namespace mycel::backend
