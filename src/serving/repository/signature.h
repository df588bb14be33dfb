// SPDX-License-Identifier: Apache-2.0
// What a loaded model takes and gives, as its worker tells the server.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "platform/json/json.h"
#include "serving/batching/value.h"
#include "serving/repository/servable.h"
#include "serving/worker/frame.h"

namespace mycel::serving {

struct TensorSpec {
  std::string name;
  ElementType type = ElementType::Unknown;
  Dims dims;  // -1: any length
};

// Of one sub-graph of a model.
struct ModelSignature {
  std::vector<TensorSpec> inputs, outputs;
  // Rows that one run takes: 0: any number (the first length is open), 1: the model has no batch.
  std::uint32_t batch_size = 1;
};

// By model, then by sub-graph.
using Signatures = std::vector<std::vector<ModelSignature>>;

platform::Json to_json(const Signatures& signatures);
Signatures read_signatures(const platform::Json& text);

// What one instance gives for an input: without the batch where the input has one.
Dims instance_dims(const ModelSpec& model, const ModelSignature& signature, std::size_t input);

// Nothing: the model takes it.
std::optional<Failure> refusal(const ModelSpec& model, const ModelSignature& signature,
                               const Instance& instance);

}  // namespace mycel::serving
