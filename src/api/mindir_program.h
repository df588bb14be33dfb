// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "api/program_source.h"
#include "formats/mindir/model.h"

namespace mycel::api {

// The network of a MindIR file. Inputs that are Python numbers there are tensors of one element
// here, and results in tuples are a plain list.
class MindirProgram final : public ProgramSource {
 public:
  // Refuses networks whose inputs are no tensors.
  MindirProgram(std::shared_ptr<const formats::mindir::Model> model, std::string name);

  const std::string& name() const override { return name_; }
  const std::vector<ProgramInput>& inputs() const override { return inputs_; }
  std::vector<Tensor> walk(std::span<const Tensor> inputs) const override;
  std::size_t weights_bytes() const override;
  std::vector<StoredMap> preprocessing() const override;
  std::string user_info() const override;

 private:
  std::shared_ptr<const formats::mindir::Model> model_;
  std::string name_;
  std::vector<ProgramInput> inputs_;
};

}  // namespace mycel::api
