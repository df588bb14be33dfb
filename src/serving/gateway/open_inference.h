// SPDX-License-Identifier: Apache-2.0
// What the Open Inference Protocol (KServe V2) says, whether over REST or gRPC: tensors with names
// whose first dimension is the batch, and how they become instances.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "serving/gateway/named_values.h"
#include "serving/repository/signature.h"

namespace mycel::serving {

std::string_view open_inference_name(ElementType type);
std::optional<ElementType> open_inference_type(std::string_view name);

// Tensors of a request, whole: every instance's rows in one value.
using NamedTensors = NamedValues;

struct OpenInferenceRequest {
  std::string id;
  NamedTensors inputs;
  struct WantedOutput {
    std::string name;
    bool is_binary = false;
  };
  std::vector<WantedOutput> outputs;  // empty: all
  bool are_outputs_binary = false;    // unless one says otherwise
};

// Whether the method's values have the batch as their first dimension.
bool has_batch(const Servable& servable, const Method& method);

// The instances of a request: its rows where the method has a batch, else one. A failure names the
// input and what is wrong with it.
std::variant<std::vector<Instance>, Failure> to_instances(const Servable& servable,
                                                          const Method& method,
                                                          const NamedTensors& inputs);
// The other way: one tensor per output. A failure when rows differ in shape or type.
std::variant<Instance, Failure> to_tensors(const Servable& servable, const Method& method,
                                           std::vector<Instance> rows);

// ---- REST

// A body is JSON, in its first `json_bytes` bytes, and after it the bytes of binary tensors.
std::variant<OpenInferenceRequest, std::string> read_open_inference(std::string_view body,
                                                                    std::size_t json_bytes);
struct OpenInferenceReply {
  std::string body;
  std::optional<std::size_t> json_bytes;  // given: binary tensors follow
};
OpenInferenceReply write_open_inference(const OpenInferenceRequest& request, std::string_view model,
                                        std::uint32_t version, const Method& method,
                                        const Instance& outputs);
std::string open_inference_error(std::string_view text);
// {"name": ..., "versions": [...], "platform": ..., "inputs": [...], "outputs": [...]}
struct TensorMetadata {
  std::string name;
  std::string datatype;
  Dims dims;
  bool is_told = true;  // by a model; else type and dims stand for any
};
struct ModelDescription {
  std::string name;
  std::vector<std::string> versions;
  std::string platform;
  std::vector<TensorMetadata> inputs, outputs;
};
ModelDescription describe(const Servable& servable, const Signatures& signatures,
                          const Method& method);
std::string write_metadata(const ModelDescription& metadata);

}  // namespace mycel::serving
