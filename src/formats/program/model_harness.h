// SPDX-License-Identifier: Apache-2.0
// What tests of stored networks share: models that run without the rest of the library.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "formats/program/host.h"
#include "operator/inference.h"
#include "operator/registry.h"
#include "tensor/number.h"

namespace mycel::formats::testing {

using tensor::DType;
using tensor::Tensor;

// Runs operators as they are: what the tests use needs no more.
class PlainEmitter final : public op::Emitter {
 public:
  op::ValueList emit(const op::OpDef& definition, std::span<const op::Value> inputs,
                     op::AttributeList attributes) override {
    if (definition.name == "identity") return {inputs[0]};  // no kernel: others pass the tensor on
    std::vector<Tensor> given;
    for (const op::Value& input : inputs) given.push_back(input.tensor());
    std::vector<Tensor> outputs;
    for (const op::TensorSpec& spec : op::infer_outputs(definition, given, attributes))
      outputs.push_back(Tensor::empty(spec.shape, spec.dtype));
    op::KernelContext kernel(definition, attributes, given, outputs);
    op::run_kernel(kernel, {});
    op::ValueList values;
    for (const Tensor& output : outputs) values.emplace_back(this, output);
    return values;
  }
  op::TensorSpec spec_of(const op::Value& value) const override {
    return {value.tensor().dtype(), value.tensor().shape(), value.tensor().body().is_number};
  }
  op::Value number(double value) override { return {this, tensor::number_tensor(value)}; }
  op::Value integer(std::int64_t value) override { return {this, tensor::number_tensor(value)}; }
};

inline PlainEmitter& emitter() {
  static PlainEmitter only;
  return only;
}

class PlainHost final : public Host {
 public:
  op::Emitter& emitter() override { return testing::emitter(); }
};

template <class Model>
std::shared_ptr<const Model> read(std::string content) {
  return Model::read(std::move(content), std::nullopt, emitter());
}

template <class Model>
float run(const Model& model, float value) {
  PlainHost host;
  Tensor x = Tensor::empty({}, DType::Float32);
  *x.data<float>() = value;
  const Datum given(op::Value(&emitter(), x));
  const Datum result = model.run(std::span(&given, 1), {}, host);
  return *result.tensor().tensor().data<float>();
}

}  // namespace mycel::formats::testing
