// SPDX-License-Identifier: Apache-2.0
// What rules for writing ONNX files share that move elements without computing.
#pragma once

#include <limits>

#include "operator/onnx_call.h"
#include "ops/shape/axis_lists.h"

namespace mycel::ops {

// Positions begin, begin + step, … of every axis; whole axes are not mentioned.
inline op::onnx::Symbol window(const op::onnx::Symbol& x, const tensor::Shape& shape,
                               const tensor::IntList& begin, const tensor::IntList& length,
                               const tensor::IntList& step) {
  tensor::IntList first, end, axes, distance;
  for (std::size_t i = 0; i < shape.size(); ++i) {
    if (begin[i] == 0 && length[i] == shape[i] && step[i] == 1) continue;
    const std::int64_t after = begin[i] + length[i] * step[i];
    first.push_back(begin[i]);
    // A negative end would count from the end of the axis.
    end.push_back(after < 0 ? std::numeric_limits<std::int32_t>::min() : after);
    axes.push_back(static_cast<std::int64_t>(i));
    distance.push_back(step[i]);
  }
  return axes.empty() ? x : x.add("Slice", {first, end, axes, distance});
}

// An axis in parts of these sizes.
inline std::vector<op::onnx::Symbol> parts_of(const op::onnx::Symbol& x,
                                              const tensor::IntList& sizes, std::int64_t axis) {
  if (sizes.size() == 1) return {x};
  const std::vector<tensor::DType> types(sizes.size(), x.dtype());
  return x.several("Split", {sizes}, types, {{"axis", axis}});
}

// In one row.
inline op::onnx::Symbol flat(const op::onnx::Symbol& x, const tensor::Shape& shape) {
  return x.reshape({tensor::element_count(shape)});
}

}  // namespace mycel::ops
