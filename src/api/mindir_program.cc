// SPDX-License-Identifier: Apache-2.0
#include "api/mindir_program.h"

#include "api/boundary.h"
#include "api/stored_walk.h"
#include "platform/json/json.h"

namespace mycel::api {
namespace {

using formats::mindir::Input;
using tensor::DType;

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

}  // namespace

MindirProgram::MindirProgram(std::shared_ptr<const formats::mindir::Model> model, std::string name)
    : model_(std::move(model)), name_(std::move(name)) {
  for (const Input& input : model_->inputs()) inputs_.push_back(tensor_input(input, name_));
}

std::vector<Tensor> MindirProgram::walk(std::span<const Tensor> inputs) const {
  return walk_stored(*model_, inputs);
}

std::size_t MindirProgram::weights_bytes() const { return bytes_of_weights(*model_); }

std::vector<StoredMap> MindirProgram::preprocessing() const {
  std::vector<StoredMap> maps;
  for (const formats::mindir::MapOperation& each : model_->preprocessing())
    maps.push_back({each.input_columns, each.output_columns, each.operations});
  return maps;
}

std::string MindirProgram::user_info() const {
  platform::Json::Object entries;
  for (const auto& [key, value] : model_->user_info()) entries.emplace_back(key, value);
  return platform::Json(std::move(entries)).text();
}

}  // namespace mycel::api
