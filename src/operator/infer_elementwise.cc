// SPDX-License-Identifier: Apache-2.0
#include "operator/registry.h"

namespace mycel::op {
namespace {

DType promoted(const OpDef& definition, std::span<const TensorSpec> inputs) {
  bool any_tensor = false;
  DType tensors = DType::Bool;
  bool any_number = false;
  DType numbers = DType::Bool;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const bool is_mask = i < definition.inputs.size() && definition.inputs[i].is_mask;
    if (is_mask) continue;
    const TensorSpec& input = inputs[i];
    if (input.is_number) {
      numbers = any_number ? std::max(numbers, input.dtype) : input.dtype;
      any_number = true;
    } else {
      tensors = any_tensor ? tensor::promote(tensors, input.dtype) : input.dtype;
      any_tensor = true;
    }
  }
  if (!any_tensor)
    return numbers == DType::Float64      ? DType::Float32
           : numbers == DType::Complex128 ? DType::Complex64
                                          : numbers;
  return any_number ? tensor::promote_with_number(tensors, numbers) : tensors;
}

}  // namespace

DType elementwise_compute_type(const OpDef& definition, std::span<const TensorSpec> inputs) {
  if (definition.type_rule == TypeRule::First) return inputs[0].dtype;
  const DType common = promoted(definition, inputs);
  if (definition.type_rule != TypeRule::PromoteFloat) return common;
  return tensor::is_floating(common) || tensor::is_complex(common) ? common : DType::Float32;
}

void infer_elementwise(InferContext& op) {
  const OpDef& definition = op.definition();
  Shape shape = op.input(0).shape;
  for (std::size_t i = 1; i < op.input_count(); ++i) {
    if (!(op.input(i).shape == shape))
      shape = tensor::broadcast_shapes(shape, op.input(i).shape, op.name());
  }
  std::vector<TensorSpec> specs;
  DType dtype = DType::Bool;
  if (definition.result_type) {
    dtype = *definition.result_type;
  } else if (!definition.scalar.is_mask()) {
    for (std::size_t i = 0; i < op.input_count(); ++i) specs.push_back(op.input(i));
    dtype = elementwise_compute_type(definition, specs);
    if (definition.real_result) dtype = tensor::real_type_of(dtype);
  }
  op.set_output(0, dtype, shape);
}

}  // namespace mycel::op
