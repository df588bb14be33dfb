// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tensor/tensor.h"

namespace mycel::backend {

// target = a b (+ bias). a is (..., m, k), b is (..., k, n), the leading axes of both are equal to
// those of `target` (stretched ones have stride 0); any strides. `target` is contiguous, `bias` is
// undefined or holds n values. All have the same dtype; 16-bit types are summed in float.
void matmul(const tensor::Tensor& a, const tensor::Tensor& b, const tensor::Tensor& bias,
            const tensor::Tensor& target);

}  // namespace mycel::backend
