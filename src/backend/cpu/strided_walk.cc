// SPDX-License-Identifier: Apache-2.0
#include "backend/cpu/strided_walk.h"

namespace mycel::cpu {

StridedWalk::StridedWalk(const tensor::Shape& shape,
                         std::span<const tensor::Tensor* const> operands)
    : operand_count(operands.size()) {
  std::array<tensor::Strides, kMaxOperands> whole;
  for (std::size_t k = 0; k < operand_count; ++k) {
    whole[k] = tensor::broadcast_strides(operands[k]->shape(), operands[k]->strides(), shape);
  }
  for (std::size_t axis = 0; axis < shape.size(); ++axis) {
    const std::int64_t length = shape[axis];
    if (length == 1) continue;
    bool joins = !lengths.empty();
    for (std::size_t k = 0; k < operand_count && joins; ++k) {
      joins = strides[k].back() == whole[k][axis] * length;
    }
    if (joins) {
      lengths.back() *= length;
    } else {
      lengths.push_back(length);
    }
    for (std::size_t k = 0; k < operand_count; ++k) {
      if (joins) {
        strides[k].back() = whole[k][axis];
      } else {
        strides[k].push_back(whole[k][axis]);
      }
    }
  }
}

std::int64_t StridedWalk::row_offset(std::size_t operand, std::int64_t row) const {
  std::int64_t offset = 0;
  for (std::size_t axis = lengths.size(); axis-- > 1;) {
    const std::int64_t length = lengths[axis - 1];
    offset += row % length * strides[operand][axis - 1];
    row /= length;
  }
  return offset;
}

RowCursor::RowCursor(const StridedWalk& walk, std::int64_t row)
    : walk_(walk), count_(walk.operand_count), row_(row) {
  next_stretch();
}

void RowCursor::next_stretch() {
  const std::size_t rank = walk_.rank();
  const std::int64_t length = rank < 2 ? 1 : walk_.lengths[rank - 2];
  left_ = length - row_ % length;
  for (std::size_t k = 0; k < count_; ++k) {
    offsets_[k] = walk_.row_offset(k, row_);
    steps_[k] = rank < 2 ? 0 : walk_.strides[k][rank - 2];
  }
  row_ += left_;
}

}  // namespace mycel::cpu
