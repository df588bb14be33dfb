// SPDX-License-Identifier: Apache-2.0
// The geometry of a reduction: which elements belong to which result.
#pragma once

#include <cstdint>

#include "tensor/tensor.h"

namespace mycel::cpu {

struct ReducePlan {
  // Axes joined where possible, outermost first. The kept ones are in the order of the output.
  tensor::Shape kept_lengths, reduced_lengths;
  tensor::Strides kept_strides, reduced_strides;
  std::int64_t outputs = 1;  // product of the kept lengths
  std::int64_t count = 1;    // elements behind each output

  ReducePlan(const tensor::Tensor& input, const tensor::IntList& axes);

  std::int64_t inner_length() const { return reduced_lengths.empty() ? 1 : reduced_lengths.back(); }
  std::int64_t inner_stride() const { return reduced_strides.empty() ? 1 : reduced_strides.back(); }
  std::int64_t columns() const { return kept_lengths.empty() ? 1 : kept_lengths.back(); }
  std::int64_t column_stride() const { return kept_strides.empty() ? 1 : kept_strides.back(); }
  // Whether results lie side by side in memory while what they sum does not.
  bool by_columns() const { return column_stride() == 1 && columns() > 1 && inner_stride() != 1; }

  std::int64_t kept_offset(std::int64_t output) const;
  std::int64_t reduced_offset(std::int64_t element) const;
};

// Calls body(offset, stride, n) for stretches of evenly spaced elements that make up the elements
// [begin, end) behind one output.
template <class Body>
void for_stretches(const ReducePlan& plan, std::int64_t begin, std::int64_t end, const Body& body) {
  const std::int64_t length = plan.inner_length();
  while (begin < end) {
    const std::int64_t left = length - begin % length;
    const std::int64_t n = left < end - begin ? left : end - begin;
    body(plan.reduced_offset(begin), plan.inner_stride(), n);
    begin += n;
  }
}

}  // namespace mycel::cpu
