// SPDX-License-Identifier: Apache-2.0
#include "ir/constant_number.h"

namespace mycel::ir {

using tensor::DType;

std::optional<double> constant_number(Output operand) {
  if (operand.node->kind() != NodeKind::Constant || !operand.type().is_number ||
      !operand.type().shape.empty())
    return std::nullopt;
  const Tensor& tensor = operand.node->tensor();
  if (tensor.dtype() == DType::Float64) return *tensor.data<double>();
  if (tensor.dtype() != DType::Int64) return std::nullopt;
  const std::int64_t whole = *tensor.data<std::int64_t>();
  constexpr std::int64_t kExact = std::int64_t{1} << 53;
  if (whole < -kExact || whole > kExact) return std::nullopt;
  return static_cast<double>(whole);
}

double attribute_number(const op::AttributeValue& value) {
  if (value.is_none()) return 0;
  return value.is_bool() ? (value.flag() ? 1 : 0) : value.real();
}

}  // namespace mycel::ir
