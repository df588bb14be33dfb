// SPDX-License-Identifier: Apache-2.0
// What the rules of running sums and products share.
#pragma once

#include "operator/contexts.h"

namespace mycel::ops {

inline op::Value conjugated(op::GradientContext& op, const op::Value& value) {
  return tensor::is_complex(value.dtype()) ? op.call("conj", {value}) : value;
}

// The value at position + step on the axis, for a step of 1 or -1; 0 beyond the ends.
inline op::Value neighbours(op::GradientContext& op, const op::Value& value, std::int64_t axis,
                            std::int64_t step) {
  const tensor::Shape shape = value.shape();
  if (shape.empty()) return op.call("zeros_like", {value});
  if (shape[static_cast<std::size_t>(axis)] == 0) return value;
  tensor::IntList widths(2 * shape.size(), 0);
  widths[2 * static_cast<std::size_t>(axis)] = -step;
  widths[2 * static_cast<std::size_t>(axis) + 1] = step;
  return op.call("pad_constant", {value}, {{"paddings", widths}});
}

}  // namespace mycel::ops
