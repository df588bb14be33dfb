// SPDX-License-Identifier: Apache-2.0
// What programs of all kinds of model files do alike.
#pragma once

#include <span>
#include <vector>

#include "api/plain_host.h"
#include "operator/datum.h"
#include "tensor/tensor.h"

namespace mycel::api {

// Results in tuples are a plain list.
std::vector<tensor::Tensor> flattened(const op::Datum& result);

template <class Model>
std::vector<tensor::Tensor> walk_stored(const Model& model,
                                        std::span<const tensor::Tensor> inputs) {
  op::Emitter& emitter = eager::emitter();
  std::vector<op::Datum> arguments;
  for (const tensor::Tensor& input : inputs) arguments.emplace_back(op::Value(&emitter, input));
  std::vector<op::Value> parameters;
  for (const auto& parameter : model.parameters())
    parameters.emplace_back(&emitter, parameter.tensor);
  PlainHost host;
  return flattened(model.run(arguments, parameters, host));
}

template <class Model>
std::size_t bytes_of_weights(const Model& model) {
  std::size_t bytes = 0;
  for (const auto& parameter : model.parameters()) bytes += parameter.tensor.bytes();
  return bytes;
}

}  // namespace mycel::api
