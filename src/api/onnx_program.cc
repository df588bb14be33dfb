// SPDX-License-Identifier: Apache-2.0
#include "api/onnx_program.h"

#include "api/boundary.h"
#include "api/stored_walk.h"

namespace mycel::api {
namespace {

ProgramInput tensor_input(const formats::onnx::Input& input, const std::string& model) {
  require(input.dtype.has_value(), mindspore::kMEInvalidInput, "the model '", model,
          "' does not tell the type of its input '", input.name, "', or it is no tensor");
  return {input.name, *input.dtype, input.dims.value_or(std::vector<std::int64_t>{kAnyShape})};
}

}  // namespace

OnnxProgram::OnnxProgram(std::shared_ptr<const formats::onnx::Model> model, std::string name)
    : model_(std::move(model)), name_(std::move(name)) {
  for (const formats::onnx::Input& input : model_->inputs())
    inputs_.push_back(tensor_input(input, name_));
}

std::vector<Tensor> OnnxProgram::walk(std::span<const Tensor> inputs) const {
  return walk_stored(*model_, inputs);
}

std::size_t OnnxProgram::weights_bytes() const { return bytes_of_weights(*model_); }

}  // namespace mycel::api
