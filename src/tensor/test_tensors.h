// SPDX-License-Identifier: Apache-2.0
// Small tensors for tests, and what is in them.
#pragma once

#include <algorithm>
#include <initializer_list>
#include <vector>

#include "tensor/tensor.h"

namespace mycel::tensor::testing {

inline Tensor floats(std::initializer_list<float> values) {
  Tensor tensor = Tensor::empty({static_cast<std::int64_t>(values.size())}, DType::Float32);
  std::copy(values.begin(), values.end(), tensor.data<float>());
  return tensor;
}

inline std::vector<float> values_of(const Tensor& tensor) {
  const Tensor dense = contiguous(tensor);
  return {dense.data<float>(), dense.data<float>() + dense.size()};
}

}  // namespace mycel::tensor::testing
