// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tensor/tensor.h"

namespace mycel::backend {

// The problem in oneDNN's terms: the leading axes may be 1 where an operand is stretched.
struct DnnlMatmul {
  tensor::DType dtype = tensor::DType::Float32;
  tensor::Shape a_shape, b_shape, c_shape;
  tensor::Strides a_strides, b_strides, c_strides;
  const void* a = nullptr;
  const void* b = nullptr;
  const void* bias = nullptr;  // n values, or null
  void* c = nullptr;
};

// False: oneDNN has no good way on this machine, nothing was done.
bool dnnl_matmul(const DnnlMatmul& problem);

}  // namespace mycel::backend
