// SPDX-License-Identifier: Apache-2.0
#include "include/api/serialization.h"

#include <filesystem>

#include "api/boundary.h"
#include "api/graph_data.h"
#include "api/load_program.h"

namespace mindspore {

namespace {

using mycel::api::guarded;
using mycel::api::ModelKey;
using mycel::api::require;

constexpr size_t kMostBytesInMemory = size_t{1} << 31;

void require_loadable(ModelType type) {
  require(mycel::api::is_loadable(type), kMEInvalidInput, "Unsupported ModelType ",
          static_cast<uint32_t>(type), "; only kMindIR and kONNX can be loaded");
}

ModelKey key_of(const Key& key, const std::vector<char>& mode) {
  require(key.len <= key.max_key_len, kMEInvalidInput, "the key must have at most ",
          key.max_key_len, " bytes, but got ", key.len);
  return {{reinterpret_cast<const char*>(key.key), key.len}, {mode.data(), mode.size()}};
}

Graph loaded(const std::string& file, ModelType type, const ModelKey& key) {
  require_loadable(type);
  std::error_code no_error;
  require(std::filesystem::exists(file, no_error), kMEInvalidInput, "the file '", file,
          "' does not exist");
  require(std::filesystem::is_regular_file(file, no_error), kMEInvalidInput, "'", file,
          "' exists but is no file");
  return Graph(std::make_shared<Graph::GraphData>(mycel::api::load_program(file, type, key), type));
}

Status not_supported(std::string_view operation) {
  return mycel::api::failure(kMEFailed, operation,
                             "not supported; models are written in Python, by mindspore.export");
}

}  // namespace

Status Serialization::Load(const void* model_data, size_t data_size, ModelType model_type,
                           Graph* graph, const Key& dec_key, const std::vector<char>& dec_mode) {
  return guarded(kMEInvalidInput, "Serialization::Load", [&] {
    require(graph != nullptr, kMEInvalidInput, "the graph to load into is null");
    require(model_data != nullptr && data_size > 0, kMEInvalidInput,
            "the model data is null or empty");
    require_loadable(model_type);
    require(data_size <= kMostBytesInMemory, kMEInvalidInput, "models of up to ",
            kMostBytesInMemory, " bytes can be loaded from memory, but got ", data_size,
            "; load it by the name of its file");
    const std::string_view bytes(static_cast<const char*>(model_data), data_size);
    auto source = mycel::api::load_program(bytes, model_type, key_of(dec_key, dec_mode));
    *graph = Graph(std::make_shared<Graph::GraphData>(std::move(source), model_type));
  });
}

Status Serialization::Load(const std::vector<char>& file, ModelType model_type, Graph* graph,
                           const Key& dec_key, const std::vector<char>& dec_mode) {
  return guarded(kMEInvalidInput, "Serialization::Load", [&] {
    require(graph != nullptr, kMEInvalidInput, "the graph to load into is null");
    *graph = loaded(CharToString(file), model_type, key_of(dec_key, dec_mode));
  });
}

Status Serialization::Load(const std::vector<std::vector<char>>& files, ModelType model_type,
                           std::vector<Graph>* graphs, const Key& dec_key,
                           const std::vector<char>& dec_mode) {
  return guarded(kMEInvalidInput, "Serialization::Load", [&] {
    require(graphs != nullptr, kMEInvalidInput, "the list to load into is null");
    require(!files.empty(), kMEInvalidInput, "the list of files is empty");
    std::vector<Graph> results;
    for (const std::vector<char>& file : files)
      results.push_back(loaded(CharToString(file), model_type, key_of(dec_key, dec_mode)));
    *graphs = std::move(results);
  });
}

Status Serialization::SetParameters(const std::map<std::vector<char>, Buffer>& /*parameters*/,
                                    Model* /*model*/) {
  return not_supported("Serialization::SetParameters");
}

Status Serialization::ExportModel(const Model& /*model*/, ModelType /*model_type*/,
                                  Buffer* /*model_data*/, QuantizationType /*quantization_type*/,
                                  bool /*export_inference_only*/,
                                  const std::vector<std::vector<char>>& /*output_tensor_name*/) {
  return not_supported("Serialization::ExportModel");
}

Status Serialization::ExportModel(const Model& /*model*/, ModelType /*model_type*/,
                                  const std::vector<char>& /*model_file*/,
                                  QuantizationType /*quantization_type*/,
                                  bool /*export_inference_only*/,
                                  const std::vector<std::vector<char>>& /*output_tensor_name*/) {
  return not_supported("Serialization::ExportModel");
}

Status Serialization::ExportWeightsCollaborateWithMicro(
    const Model& /*model*/, ModelType /*model_type*/, const std::vector<char>& /*weight_file*/,
    bool /*is_inference*/, bool /*enable_fp16*/,
    const std::vector<std::vector<char>>& /*changeable_weights_name*/) {
  return not_supported("Serialization::ExportWeightsCollaborateWithMicro");
}

}  // namespace mindspore
