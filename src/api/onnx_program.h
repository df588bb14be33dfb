// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "api/program_source.h"
#include "formats/onnx/model.h"

namespace mycel::api {

// The network of an ONNX file.
class OnnxProgram final : public ProgramSource {
 public:
  // Refuses networks with inputs of unknown type.
  OnnxProgram(std::shared_ptr<const formats::onnx::Model> model, std::string name);

  const std::string& name() const override { return name_; }
  const std::vector<ProgramInput>& inputs() const override { return inputs_; }
  const std::vector<std::string>& output_names() const override { return model_->outputs(); }
  std::vector<Tensor> walk(std::span<const Tensor> inputs) const override;
  std::size_t weights_bytes() const override;

 private:
  std::shared_ptr<const formats::onnx::Model> model_;
  std::string name_;
  std::vector<ProgramInput> inputs_;
};

}  // namespace mycel::api
