// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tensor/tensor.h"

namespace mycel::backend {

// x and y are (outer, channels, inner) and dense, the rest holds a value per channel; all float or
// all double. The variance is that of the population. gamma and beta may be undefined (ones,
// zeros).
struct BatchNormShape {
  std::int64_t outer = 0, channels = 0, inner = 0;
};

void batch_norm_training(const BatchNormShape& shape, const tensor::Tensor& x,
                         const tensor::Tensor& gamma, const tensor::Tensor& beta, double epsilon,
                         const tensor::Tensor& y, const tensor::Tensor& mean,
                         const tensor::Tensor& variance);
void batch_norm_inference(const BatchNormShape& shape, const tensor::Tensor& x,
                          const tensor::Tensor& gamma, const tensor::Tensor& beta,
                          const tensor::Tensor& mean, const tensor::Tensor& variance,
                          double epsilon, const tensor::Tensor& y);
void batch_norm_gradient(const BatchNormShape& shape, const tensor::Tensor& dy,
                         const tensor::Tensor& x, const tensor::Tensor& gamma,
                         const tensor::Tensor& mean, const tensor::Tensor& variance, double epsilon,
                         const tensor::Tensor& dx, const tensor::Tensor& dgamma,
                         const tensor::Tensor& dbeta);

}  // namespace mycel::backend
