// SPDX-License-Identifier: Apache-2.0
// What the products of matrices share: checks, and operands as stacks of matrices.
#pragma once

#include <string_view>

#include "operator/contexts.h"
#include "tensor/shape.h"
#include "tensor/tensor.h"

namespace mycel::ops {

// TypeError listing both dtypes.
inline void require_one_dtype(const op::AttributeReader& op, tensor::DType x1, tensor::DType x2) {
  op.require(x1 == x2, platform::ErrorKind::Type,
             "the type of 'x2' should be same as 'x1', but got 'x1' with type Tensor[", x1,
             "] and 'x2' with type Tensor[", x2, "].");
}

// `columns` of the first operand meet `rows` of the second.
inline void require_inner_sizes(std::string_view name, std::int64_t columns,
                                const tensor::Shape& first, std::int64_t rows,
                                const tensor::Shape& second) {
  platform::require(columns == rows, platform::ErrorKind::Value, "For '", name,
                    "' the input dimensions must be equal, but ", columns,
                    " of the first input, of shape ", first, ", meet ", rows,
                    " of the second, of shape ", second, ".");
}

inline tensor::Shape leading_axes(const tensor::Shape& shape) {
  return shape.size() <= 2 ? tensor::Shape() : tensor::Shape(shape.begin(), shape.end() - 2);
}

enum class Side : std::uint8_t { Left, Right };

// The operand as a stack of matrices with the leading axes `batch`: a vector becomes a row (left)
// or a column (right), a transposition swaps the last two strides, stretched axes get stride 0.
inline tensor::Tensor as_matrices(const tensor::Tensor& x, bool transpose, Side side,
                                  const tensor::Shape& batch) {
  const std::size_t rank = x.shape().size();
  tensor::Shape shape = batch;
  tensor::Strides strides =
      rank <= 2 ? tensor::Strides(batch.size(), 0)
                : tensor::broadcast_strides(
                      leading_axes(x.shape()),
                      tensor::Strides(x.strides().begin(), x.strides().end() - 2), batch);
  if (rank == 1) {
    const std::int64_t n = x.shape()[0], step = x.strides()[0];
    shape.push_back(side == Side::Left ? 1 : n);
    shape.push_back(side == Side::Left ? n : 1);
    strides.push_back(side == Side::Left ? n * step : step);
    strides.push_back(side == Side::Left ? step : 1);
  } else {
    const std::size_t row = rank - (transpose ? 1 : 2), column = rank - (transpose ? 2 : 1);
    for (const std::size_t axis : {row, column}) {
      shape.push_back(x.shape()[axis]);
      strides.push_back(x.strides()[axis]);
    }
  }
  return tensor::Tensor::view(x, shape, strides, x.body().offset);
}

}  // namespace mycel::ops
