// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "operator/registry.h"

namespace mycel::op {
namespace {

// `operand(i)` gives something with `dtype` and `is_number`.
template <class Operand>
DType promoted(const OpDef& definition, std::size_t count, const Operand& operand) {
  bool any_tensor = false;
  bool any_number = false;
  DType tensors = DType::Bool;
  DType numbers = DType::Bool;
  for (std::size_t i = 0; i < count; ++i) {
    if (i < definition.inputs.size() && definition.inputs[i].is_mask) continue;
    const auto& input = operand(i);
    if (input.is_number) {
      numbers = any_number ? std::max(numbers, input.dtype) : input.dtype;
      any_number = true;
    } else {
      tensors = any_tensor ? tensor::promote(tensors, input.dtype) : input.dtype;
      any_tensor = true;
    }
  }
  if (any_tensor) return any_number ? tensor::promote_with_number(tensors, numbers) : tensors;
  if (numbers == DType::Float64)
    return DType::Float32;  // numbers alone: Python's kinds, our defaults
  return numbers == DType::Complex128 ? DType::Complex64 : numbers;
}

template <class Operand>
DType compute_type(const OpDef& definition, std::size_t count, const Operand& operand) {
  if (definition.type_rule == TypeRule::First) {
    const auto& first = operand(0);
    return first.is_number && first.dtype == DType::Float64 ? DType::Float32 : first.dtype;
  }
  const DType common = promoted(definition, count, operand);
  if (definition.type_rule != TypeRule::PromoteFloat) return common;
  return tensor::is_floating(common) || tensor::is_complex(common) ? common : DType::Float32;
}

}  // namespace

DType elementwise_compute_type(const OpDef& definition, std::span<const TensorSpec> inputs) {
  return compute_type(definition, inputs.size(),
                      [&](std::size_t i) -> const TensorSpec& { return inputs[i]; });
}

DType elementwise_compute_type(const OpDef& definition, std::span<const Tensor> inputs) {
  return compute_type(definition, inputs.size(),
                      [&](std::size_t i) -> const tensor::TensorBody& { return inputs[i].body(); });
}

DType elementwise_result_type(const OpDef& definition, DType computed) {
  if (definition.result_type) return *definition.result_type;
  if (definition.scalar.is_mask()) return DType::Bool;
  return definition.real_result ? tensor::real_type_of(computed) : computed;
}

void infer_elementwise(InferContext& op) {
  const OpDef& definition = op.definition();
  Shape shape = op.input(0).shape;
  std::vector<TensorSpec> specs{op.input(0)};
  for (std::size_t i = 1; i < op.input_count(); ++i) {
    specs.push_back(op.input(i));
    if (!(op.input(i).shape == shape))
      shape = tensor::broadcast_shapes(shape, op.input(i).shape, op.name());
  }
  op.set_output(0, elementwise_result_type(definition, elementwise_compute_type(definition, specs)),
                shape);
}

}  // namespace mycel::op
