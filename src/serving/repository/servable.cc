// SPDX-License-Identifier: Apache-2.0
#include "serving/repository/servable.h"

#include <algorithm>
#include <limits>

namespace mycel::serving {
namespace {

using platform::ErrorKind;
using platform::Json;
using platform::require;

std::size_t index_of(const Json& value, std::string_view what, std::size_t limit) {
  const std::int64_t number = value.integer();
  require(number >= 0 && static_cast<std::uint64_t>(number) < limit, ErrorKind::Runtime,
          "servable description: ", what, " ", number, " is not below ", limit);
  return static_cast<std::size_t>(number);
}

std::vector<std::string> strings(const Json& list) {
  std::vector<std::string> texts;
  for (const Json& entry : list.array()) texts.push_back(entry.string());
  return texts;
}

ModelSpec read_model(const Json& text) {
  ModelSpec model;
  model.files = strings(text.at("files"));
  require(!model.files.empty(), ErrorKind::Runtime, "servable description: a model has no file");
  const std::string& format = text.at("format").string();
  require(format == "MindIR" || format == "ONNX", ErrorKind::Runtime,
          "servable description: model format '", format, "' is neither MindIR nor ONNX");
  model.format = format == "ONNX" ? ModelFormat::Onnx : ModelFormat::MindIR;
  model.has_batch = text.at("with_batch_dim").boolean();
  constexpr std::size_t kMostInputs = std::numeric_limits<std::int32_t>::max();
  for (const Json& input : text.at("without_batch_dim_inputs").array())
    model.inputs_without_batch.push_back(index_of(input, "input", kMostInputs));
  if (const Json* file = text.find("config_file")) model.config_file = file->string();
  if (const Json* count = text.find("thread_num"))
    model.thread_count = static_cast<int>(index_of(*count, "thread_num", 4096));
  if (const Json* precision = text.find("precision_mode"))
    model.use_float16 = precision->string() == "fp16";
  return model;
}

Source read_source(const Json& text, const Method& method, std::size_t stages_before) {
  const Json::Array& pair = text.array();
  require(pair.size() == 2, ErrorKind::Runtime, "servable description: a source is no pair");
  Source source;
  source.stage = index_of(pair[0], "stage", stages_before + 1);
  const std::size_t count =
      source.stage == 0 ? method.inputs.size() : method.stages[source.stage - 1].output_count;
  source.index = index_of(pair[1], "value", count);
  return source;
}

Stage read_stage(const Json& text, const Servable& servable, const Method& method) {
  Stage stage;
  if (const Json* model = text.find("model")) {
    stage.target = index_of(*model, "model", servable.models.size());
    stage.subgraph =
        index_of(text.at("subgraph"), "subgraph", servable.models[stage.target].files.size());
  } else {
    stage.kind = StageKind::Function;
    stage.target = index_of(text.at("function"), "function", servable.functions.size());
    const Json& size = text.at("batch_size");
    constexpr std::size_t kMostRows = 1 << 20;
    if (!size.is_null()) stage.batch_size = index_of(size, "batch_size", kMostRows);
  }
  for (const Json& input : text.at("inputs").array())
    stage.inputs.push_back(read_source(input, method, method.stages.size()));
  constexpr std::size_t kMostOutputs = 1 << 16;
  stage.output_count = index_of(text.at("outputs"), "output count", kMostOutputs);
  stage.tag = text.at("tag").string();
  return stage;
}

Method read_method(const Json& text, const Servable& servable) {
  Method method;
  method.name = text.at("name").string();
  method.inputs = strings(text.at("inputs"));
  method.outputs = strings(text.at("outputs"));
  for (const Json& stage : text.at("stages").array())
    method.stages.push_back(read_stage(stage, servable, method));
  for (const Json& source : text.at("results").array())
    method.results.push_back(read_source(source, method, method.stages.size()));
  require(method.results.size() == method.outputs.size(), ErrorKind::Runtime,
          "servable description: method '", method.name, "' returns ", method.results.size(),
          " values, but names ", method.outputs.size());
  return method;
}

}  // namespace

const Stage* Method::main_stage() const {
  const auto model = std::ranges::find(stages, StageKind::Model, &Stage::kind);
  if (model != stages.end()) return &*model;
  return stages.empty() ? nullptr : &stages.front();
}

const Method* Servable::find(std::string_view method) const {
  const auto at = std::ranges::find(methods, method, &Method::name);
  return at == methods.end() ? nullptr : &*at;
}

const Method* Servable::usual_method() const {
  return methods.size() == 1 ? &methods.front() : find("predict");
}

Servable read_servable(const Json& text) {
  Servable servable;
  servable.name = text.at("name").string();
  servable.folder = text.at("folder").string();
  for (const Json& model : text.at("models").array()) servable.models.push_back(read_model(model));
  servable.functions = strings(text.at("functions"));
  for (const Json& method : text.at("methods").array())
    servable.methods.push_back(read_method(method, servable));
  return servable;
}

}  // namespace mycel::serving
