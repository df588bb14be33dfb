// SPDX-License-Identifier: Apache-2.0
#include "serving/gateway/model_config.h"

#include <utility>

#include "platform/json/json.h"

namespace mycel::serving {
namespace {

using platform::join;
using platform::Json;

std::string type_of(const TensorMetadata& tensor) {
  if (!tensor.is_told || tensor.datatype.empty()) return "TYPE_INVALID";
  return tensor.datatype == "BYTES" ? "TYPE_STRING" : join("TYPE_", tensor.datatype);
}

std::vector<ConfiguredTensor> configured(const std::vector<TensorMetadata>& tensors,
                                         bool has_rows) {
  std::vector<ConfiguredTensor> all;
  for (const TensorMetadata& tensor : tensors) {
    all.push_back({tensor.name, type_of(tensor), tensor.dims});
    if (has_rows && tensor.is_told) all.back().dims.erase(all.back().dims.begin());
  }
  return all;
}

std::uint32_t most_batch(const Version& version, const Method& method) {
  if (!has_batch(version.servable(), method)) return 0;
  const Stage& stage = *method.main_stage();
  const std::uint32_t rows = version.signatures()[stage.target][stage.subgraph].batch_size;
  return rows == 0 ? version.batching().most_rows : rows;
}

Json json_of(const std::vector<ConfiguredTensor>& tensors) {
  Json::Array list;
  for (const ConfiguredTensor& tensor : tensors) {
    Json::Array dims;
    for (const std::int64_t length : tensor.dims) dims.emplace_back(length);
    Json::Object entry;
    entry.emplace_back("name", tensor.name);
    entry.emplace_back("data_type", tensor.type);
    entry.emplace_back("dims", std::move(dims));
    list.emplace_back(std::move(entry));
  }
  return list;
}

}  // namespace

ModelConfig config_of(const std::string& model, const Route& route) {
  const Version& version = *route.version;
  const ModelDescription known = describe(version.servable(), version.signatures(), *route.method);
  ModelConfig config;
  config.name = model;
  config.platform = known.platform;
  config.most_batch = most_batch(version, *route.method);
  config.batch_delay = version.batching().delay;
  config.inputs = configured(known.inputs, config.most_batch > 0);
  config.outputs = configured(known.outputs, config.most_batch > 0);
  return config;
}

std::string write_config(const ModelConfig& config) {
  Json::Object text;
  text.emplace_back("name", config.name);
  text.emplace_back("platform", config.platform);
  text.emplace_back("backend", std::string(kBackend));
  text.emplace_back("max_batch_size", std::int64_t{config.most_batch});
  text.emplace_back("input", json_of(config.inputs));
  text.emplace_back("output", json_of(config.outputs));
  if (config.most_batch > 0) {
    Json::Object batching;
    batching.emplace_back("max_queue_delay_microseconds", std::int64_t{config.batch_delay.count()});
    text.emplace_back("dynamic_batching", std::move(batching));
  }
  return Json(std::move(text)).text();
}

}  // namespace mycel::serving
