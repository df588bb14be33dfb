// SPDX-License-Identifier: Apache-2.0
// What rules for writing share that look at one element of each operand.
#pragma once

#include "operator/mindir_call.h"

namespace mycel::ops {

inline op::mindir::Symbol is_nan(const op::mindir::Symbol& x) {
  return x.add("IsNan", {}, {.dtype = tensor::DType::Bool});
}

// Whether the sign is minus, also that of zero.
inline op::mindir::Symbol is_negative(const op::mindir::Symbol& x) {
  if (!tensor::is_floating(x.dtype())) return x < 0;
  const auto below = x < 0;
  const auto minus_zero = (x.add("Reciprocal") < 0).add("LogicalAnd", {x.equals(0)});
  return below.add("LogicalOr", {minus_zero});
}

// A primitive whose kernels want operands of one shape.
inline op::mindir::Symbol stretched(const op::mindir::Call& call, std::string_view primitive) {
  std::vector<op::mindir::Symbol> operands;
  for (const auto& x : call.inputs(tensor::real_type_of(call.dtype())))
    operands.push_back(x.broadcast(call.shape()));
  const std::vector<op::mindir::Operand> others(operands.begin() + 1, operands.end());
  return operands[0].add(primitive, others, {.dtype = call.dtype()});
}

}  // namespace mycel::ops
