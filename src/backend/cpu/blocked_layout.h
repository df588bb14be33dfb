// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tensor/tensor.h"

namespace mycel::backend {

// Copies between (N, C, H, W) and the blocked (N, C / block, H, W, block), in either direction.
// Both are dense, of one dtype and not empty.
void change_layout(const tensor::Tensor& from, const tensor::Tensor& to);

}  // namespace mycel::backend
