// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <optional>

#include "operator/registry.h"

namespace mycel::op {
namespace {

// Tensors and Python numbers, one after another.
class Promotion {
 public:
  void add(DType dtype, bool is_number) {
    std::optional<DType>& so_far = is_number ? numbers_ : tensors_;
    if (!so_far) {
      so_far = dtype;
    } else {
      so_far = is_number ? std::max(*so_far, dtype) : tensor::promote(*so_far, dtype);
    }
  }
  DType result() const {
    if (tensors_) return numbers_ ? tensor::promote_with_number(*tensors_, *numbers_) : *tensors_;
    const DType numbers = numbers_.value_or(DType::Bool);  // alone: Python's kinds, our defaults
    if (numbers == DType::Float64) return DType::Float32;
    return numbers == DType::Complex128 ? DType::Complex64 : numbers;
  }

 private:
  std::optional<DType> tensors_, numbers_;
};

// `operand(i)` gives something with `dtype` and `is_number`.
template <class Operand>
DType promoted(const OpDef& definition, std::size_t count, const Operand& operand) {
  Promotion promotion;
  for (std::size_t i = 0; i < count; ++i) {
    if (i < definition.inputs.size() && definition.inputs[i].is_mask) continue;
    promotion.add(operand(i).dtype, operand(i).is_number);
  }
  return promotion.result();
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

DType promoted_type(std::span<const TensorSpec> inputs) {
  Promotion promotion;
  for (const TensorSpec& input : inputs) promotion.add(input.dtype, input.is_number);
  return promotion.result();
}

DType settled_number_type(const InputDef& input, DType number, bool beside_double) {
  const DType floating = beside_double ? DType::Float64 : DType::Float32;
  if (number == DType::Float64) return floating;
  if (tensor::is_complex(number) || input.dtypes.contains(number)) return number;
  if (number == DType::Bool && input.dtypes.contains(DType::Int64)) return DType::Int64;
  return input.dtypes.contains(floating) ? floating : number;
}

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
