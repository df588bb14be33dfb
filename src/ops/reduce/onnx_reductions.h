// SPDX-License-Identifier: Apache-2.0
// What rules for writing ONNX files share that look along axes.
#pragma once

#include <optional>
#include <vector>

#include "operator/onnx_call.h"
#include "ops/reduce/searched.h"

namespace mycel::ops {

// A reduction; only that of sums has its axes as an input in this version of ONNX.
inline op::onnx::Symbol reduced(const op::onnx::Symbol& x, std::string_view kind,
                                const tensor::IntList& axes, bool keeps_axes = true) {
  if (axes.empty()) return x;
  if (kind == "ReduceSum") return x.add(kind, {axes}, {{"keepdims", keeps_axes}});
  return x.add(kind, {}, {{"axes", axes}, {"keepdims", keeps_axes}});
}

// One that is an operator of its own.
inline op::onnx::Symbol reduction(const op::onnx::Call& call, std::string_view kind,
                                  std::string_view axes = "axis",
                                  std::string_view keeps_axes = "keep_dims",
                                  std::optional<tensor::DType> through = {}) {
  const auto x = call.input(0, through.value_or(call.dtype()));
  return reduced(x, kind, call.axes(axes), call.flag(keeps_axes));
}

inline op::onnx::Symbol deviation(const op::onnx::Symbol& x, const tensor::IntList& axes) {
  return x - reduced(x, "ReduceMean", axes);
}

// Of the whole population.
inline op::onnx::Symbol variance(const op::onnx::Symbol& x, const tensor::IntList& axes) {
  const auto distance = deviation(x, axes);
  return reduced(distance * distance, "ReduceMean", axes);
}

// The first of an axis by size, and where they stood.
inline std::vector<op::onnx::Symbol> best(const op::onnx::Call& call, std::int64_t count,
                                          std::int64_t axis, bool largest) {
  if (call.rank_of() == 0) return {call.input(), call.number(0, tensor::DType::Int32)};
  const auto x = searched(call);
  const std::vector<tensor::DType> types{x.dtype(), tensor::DType::Int64};
  return x.several("TopK", {tensor::IntList{count}}, types,
                   {{"axis", axis}, {"largest", largest}, {"sorted", 1}});
}

}  // namespace mycel::ops
