// SPDX-License-Identifier: Apache-2.0
#include "api/mindir_program.h"

#include <optional>

#include "api/boundary.h"
#include "api/region_loops.h"
#include "capture/recorder.h"
#include "eager/dispatch.h"
#include "formats/program/host.h"
#include "platform/json/json.h"

namespace mycel::api {
namespace {

using formats::mindir::Input;
using op::Datum;
using tensor::DType;

// Without a recorder, loops and decisions go by values.
class PlainHost final : public formats::Host {
 public:
  PlainHost() {
    if (capture::Recorder* const recorder = capture::current_recorder()) loops_.emplace(*recorder);
  }
  op::Emitter& emitter() override { return eager::emitter(); }
  formats::LoopMaker* loop_maker() override { return loops_ ? &*loops_ : nullptr; }
  bool keeps_shapes() const override { return false; }  // Model::Resize

 private:
  std::optional<RegionLoops> loops_;
};

ProgramInput tensor_input(const Input& input, const std::string& model) {
  if (input.kind == "Int") return {input.name, DType::Int64, {}};
  if (input.kind == "Float") return {input.name, DType::Float32, {}};
  if (input.kind == "Bool") return {input.name, DType::Bool, {}};
  require(input.kind == "Tensor", mindspore::kMEInvalidInput, "the input '", input.name,
          "' of model '", model,
          "' is no tensor but: ", input.kind.empty() ? "of no known type" : input.kind);
  require(input.dtype.has_value(), mindspore::kMEInvalidInput, "the model '", model,
          "' does not tell the type of its input '", input.name, "'");
  return {input.name, *input.dtype, input.dims.value_or(std::vector<std::int64_t>{kAnyShape})};
}

void flatten(const Datum& result, std::vector<Tensor>& tensors) {
  if (result.is_sequence()) {
    for (const Datum& item : result.items()) flatten(item, tensors);
    return;
  }
  const op::Value value = op::tensor_of(result, std::nullopt, eager::emitter());
  require(value.defined(), mindspore::kMCFailed, "a result is no tensor but: ", result.type_name());
  tensors.push_back(value.tensor());
}

}  // namespace

MindirProgram::MindirProgram(std::shared_ptr<const formats::mindir::Model> model, std::string name)
    : model_(std::move(model)), name_(std::move(name)) {
  for (const Input& input : model_->inputs()) inputs_.push_back(tensor_input(input, name_));
}

std::vector<Tensor> MindirProgram::walk(std::span<const Tensor> inputs) const {
  op::Emitter& emitter = eager::emitter();
  std::vector<Datum> arguments;
  for (const Tensor& input : inputs) arguments.emplace_back(op::Value(&emitter, input));
  std::vector<op::Value> parameters;
  for (const formats::mindir::Parameter& parameter : model_->parameters())
    parameters.emplace_back(&emitter, parameter.tensor);
  PlainHost host;
  std::vector<Tensor> results;
  flatten(model_->run(arguments, parameters, host), results);
  return results;
}

std::size_t MindirProgram::weights_bytes() const {
  std::size_t bytes = 0;
  for (const formats::mindir::Parameter& parameter : model_->parameters())
    bytes += parameter.tensor.bytes();
  return bytes;
}

std::string MindirProgram::user_info() const {
  platform::Json::Object entries;
  for (const auto& [key, value] : model_->user_info()) entries.emplace_back(key, value);
  return platform::Json(std::move(entries)).text();
}

}  // namespace mycel::api
