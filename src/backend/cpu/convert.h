// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tensor/tensor.h"

namespace mycel::cpu {

// Copies between tensors of one shape, any strides, converting each element: float to integer
// saturates and NaN becomes 0, complex to real drops the imaginary part, anything to bool is != 0.
void convert_elements(const tensor::Tensor& source, const tensor::Tensor& target);

}  // namespace mycel::cpu
