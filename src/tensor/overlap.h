// SPDX-License-Identifier: Apache-2.0
// Which memory a strided tensor reaches.
#pragma once

#include "tensor/tensor.h"

namespace mycel::tensor {

// Elements [begin, end) of the storage, the smallest stretch that holds all elements.
struct ElementRange {
  std::int64_t begin = 0, end = 0;
  bool is_empty() const { return begin == end; }
};
ElementRange reach_of(const Shape& shape, const Strides& strides, std::int64_t offset);
ElementRange reach_of(const Tensor& tensor);

// Whether two places of the tensor are the same element: what is written at one would appear at
// the other.
bool repeats_elements(const Shape& shape, const Strides& strides);

// Whether stretches of memory have bytes in common, whoever owns the memory. False: writing one
// leaves the other as it is. Never reads, so that promises stay promises.
bool may_overlap(const Tensor& a, const Tensor& b);
// The same of any two of these that are not one tensor.
bool any_overlap(std::span<const Tensor> tensors);

}  // namespace mycel::tensor
