// SPDX-License-Identifier: Apache-2.0
// Several tensors walked together through one shape.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "tensor/shape.h"
#include "tensor/tensor.h"

namespace mycel::cpu {

constexpr std::size_t kMaxOperands = 16;

// The shape with axes joined wherever all operands allow it; the innermost axis is the last one.
struct StridedWalk {
  tensor::Shape lengths;
  std::array<tensor::Strides, kMaxOperands> strides;  // by operand, in elements
  std::size_t operand_count = 0;

  StridedWalk(const tensor::Shape& shape, std::span<const tensor::Tensor* const> operands);

  std::size_t rank() const { return lengths.size(); }
  std::int64_t inner_length() const { return lengths.empty() ? 1 : lengths.back(); }
  std::int64_t inner_stride(std::size_t operand) const {
    return lengths.empty() ? 0 : strides[operand].back();
  }
  // Offset of the start of a row, counted over all axes but the last.
  std::int64_t row_offset(std::size_t operand, std::int64_t row) const;
};

// Row after row without divisions.
class RowCursor {
 public:
  RowCursor(const StridedWalk& walk, std::int64_t row);
  std::int64_t offset(std::size_t operand) const { return offsets_[operand]; }
  std::int64_t step(std::size_t operand) const { return steps_[operand]; }
  std::int64_t rows_left() const { return left_; }  // that follow `step` apart, this one included
  void skip_stretch() { next_stretch(); }
  void advance() {
    for (std::size_t k = 0; k < count_; ++k) offsets_[k] += steps_[k];
    if (--left_ == 0) next_stretch();
  }

 private:
  // Positions the offsets at a row and counts how many follow evenly.
  void next_stretch();
  const StridedWalk& walk_;
  std::size_t count_;
  std::int64_t row_;  // where the next stretch begins
  std::int64_t left_ = 0;
  std::array<std::int64_t, kMaxOperands> offsets_;
  std::array<std::int64_t, kMaxOperands> steps_;
};

}  // namespace mycel::cpu
