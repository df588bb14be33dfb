// SPDX-License-Identifier: Apache-2.0
// What rules about matrices share: checks, and conjugates in gradients.
#pragma once

#include <string_view>

#include "operator/contexts.h"

namespace mycel::ops {

inline void require_square(const op::InferContext& op, std::size_t input, std::string_view name) {
  const tensor::Shape& shape = op.input(input).shape;
  op.require(shape.size() >= 2 && shape.back() == shape[shape.size() - 2],
             platform::ErrorKind::Value, "the last two dimensions of '", name,
             "' must be equal, but got shape ", shape, ".");
}

inline op::Value conjugate_value(op::GradientContext& op, const op::Value& value) {
  return tensor::is_complex(value.dtype()) ? op.call("conj", {value}) : value;
}

// The conjugate transpose.
inline op::Value adjoint_value(op::GradientContext& op, const op::Value& value) {
  tensor::IntList perm;
  for (std::int64_t i = 0; i < value.rank(); ++i) perm.push_back(i);
  std::swap(perm[perm.size() - 1], perm[perm.size() - 2]);
  return op.call("transpose", {conjugate_value(op, value)}, {{"perm", perm}});
}

}  // namespace mycel::ops
