// SPDX-License-Identifier: Apache-2.0
#include "operator/inference.h"

#include <algorithm>

#include "operator/contexts.h"
#include "operator/registry.h"

namespace mycel::op {
namespace {

bool is_double(const TensorSpec& spec) {
  return !spec.is_number && (spec.dtype == DType::Float64 || spec.dtype == DType::Complex128);
}

// Its values are nodes that know a dtype and a shape and nothing else.
class SpecEmitter : public Emitter {
 public:
  Value add(const TensorSpec& spec) {
    specs_.push_back(spec);
    return {this, static_cast<std::uint64_t>(specs_.size() - 1)};
  }

  ValueList emit(const OpDef& definition, std::span<const Value> inputs,
                 AttributeList attributes) override {
    if (definition.composite != nullptr) {
      CompositeContext context(definition, attributes, *this, inputs);
      definition.composite(context);
      return context.outputs();
    }
    ValueList outputs;
    for (const TensorSpec& spec : infer(definition, inputs, attributes))
      outputs.push_back(add(spec));
    return outputs;
  }
  TensorSpec spec_of(const Value& value) const override { return specs_[value.node()]; }
  Value number(double) override { return add({DType::Float64, {}, true}); }
  Value integer(std::int64_t) override { return add({DType::Int64, {}, true}); }

 private:
  std::vector<TensorSpec> infer(const OpDef& definition, std::span<const Value> inputs,
                                AttributeList& attributes) const {
    std::vector<TensorSpec> specs;
    std::vector<Tensor> present;  // inference only asks whether an input is there
    for (const Value& input : inputs) {
      specs.push_back(input.defined() ? spec_of(input) : TensorSpec());
      present.push_back(input.defined() ? something_ : Tensor());
    }
    if (definition.infer != infer_elementwise) settle_numbers(definition, specs);
    InferContext context(definition, attributes, specs, present);
    definition.infer(context);
    return context.outputs();
  }

  // Only elementwise operators know Python numbers.
  static void settle_numbers(const OpDef& definition, std::vector<TensorSpec>& specs) {
    const bool wide = std::any_of(specs.begin(), specs.end(), is_double);
    for (std::size_t i = 0; i < specs.size(); ++i) {
      const InputDef& input = definition.inputs[std::min(i, definition.inputs.size() - 1)];
      if (specs[i].is_number) specs[i].dtype = settled_number_type(input, specs[i].dtype, wide);
    }
  }

  std::vector<TensorSpec> specs_;
  Tensor something_ = Tensor::empty({}, DType::Bool);
};

}  // namespace

std::vector<TensorSpec> infer_outputs(const OpDef& definition, std::span<const Tensor> inputs,
                                      AttributeList attributes) {
  SpecEmitter emitter;
  ValueList values;
  for (const Tensor& input : inputs) {
    values.push_back(input.defined()
                         ? emitter.add({input.dtype(), input.shape(), input.body().is_number})
                         : Value());
  }
  std::vector<TensorSpec> specs;
  for (const Value& output : emitter.emit(definition, values, std::move(attributes)))
    specs.push_back(emitter.spec_of(output));
  return specs;
}

}  // namespace mycel::op
