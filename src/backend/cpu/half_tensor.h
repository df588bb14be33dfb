// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tensor/tensor.h"

namespace mycel::backend {

// A dense tensor whose 16-bit floating elements became float32; other types stay as they are.
tensor::Tensor widened(const tensor::Tensor& tensor);

// Room for a result to be computed in the type `widened` gives: `target` itself unless its elements
// are 16-bit.
tensor::Tensor wide_like(const tensor::Tensor& target);

// Rounds `wide` into `target` when they are not the same tensor.
void narrow_into(const tensor::Tensor& wide, const tensor::Tensor& target);

// Between any two floating types, both dense.
void convert_floating(const tensor::Tensor& source, const tensor::Tensor& target);
tensor::Tensor as_floating(const tensor::Tensor& tensor, tensor::DType dtype);

}  // namespace mycel::backend
