// SPDX-License-Identifier: Apache-2.0
// What the reductions share: shapes and the way back from a result to its input.
#pragma once

#include "backend/cpu/reduce_engine.h"
#include "operator/define.h"

namespace mycel::ops {

// Shape after reducing the sorted axes.
inline Shape reduced_shape(const Shape& shape, const IntList& axes, bool keep_dims) {
  Shape result;
  for (std::size_t axis = 0; axis < shape.size(); ++axis) {
    bool reduced = false;
    for (const std::int64_t other : axes) reduced |= other == static_cast<std::int64_t>(axis);
    if (!reduced) result.push_back(shape[axis]);
    if (reduced && keep_dims) result.push_back(1);
  }
  return result;
}

inline std::int64_t reduced_count(const Shape& shape, const IntList& axes) {
  std::int64_t count = 1;
  for (const std::int64_t axis : axes) count *= shape[static_cast<std::size_t>(axis)];
  return count;
}

// A value of the reduced shape, with the reduced axes put back as ones.
inline Value with_kept_axes(GradientContext& op, const Value& value, const IntList& axes) {
  return op.call("reshape", {value}, {{"shape", reduced_shape(op.input_shape(0), axes, true)}});
}

// The same, stretched to the shape of the input.
inline Value stretched(GradientContext& op, const Value& value, const IntList& axes) {
  return op.call("broadcast_to", {with_kept_axes(op, value, axes)}, {{"shape", op.input_shape(0)}});
}

// The kernel of an operator that has said what it reduces.
inline void run_reduction(KernelContext& kernel) {
  const Reduction& reduction = kernel.definition().traits.reduces;
  cpu::reduce(reduction.kind, kernel.input(0), kernel.ints(reduction.axes), kernel.output(0));
}

}  // namespace mycel::ops
