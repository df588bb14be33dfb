// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "api/device_choice.h"
#include "api/prepared_program.h"
#include "include/api/types.h"

namespace mycel::api {

// A program on its device, with the tensors that users see: what `Model` and `GraphCell` stand for.
// Any thread may call anything at any time. What goes wrong is thrown.
class BuiltModel {
 public:
  BuiltModel(std::shared_ptr<const ProgramSource> source, Target target);

  std::vector<mindspore::MSTensor> predict(const std::vector<mindspore::MSTensor>& inputs);
  void resize(std::size_t input_count, const std::vector<std::vector<std::int64_t>>& dims);

  std::vector<mindspore::MSTensor> inputs() const;
  std::vector<mindspore::MSTensor> outputs();
  std::string info(const std::string& key);  // JSON; empty: no such key
  const std::string& name() const { return program_.source().name(); }
  bool has_preprocessing() const { return program_.source().has_preprocessing(); }

 private:
  using Lengths = std::vector<std::int64_t>;
  using Types = std::vector<op::TensorSpec>;

  const ProgramInput& spec(std::size_t i) const { return program_.source().inputs()[i]; }
  std::vector<Lengths> shapes() const;
  void set_shapes(std::vector<Lengths> shapes);
  void prepare(const std::vector<Lengths>& shapes);
  Types probed_outputs();
  Tensor argument(std::size_t i, const mindspore::MSTensor& given, const Lengths& usual);
  Lengths shape_of(std::size_t i, const mindspore::MSTensor& given, const Lengths& usual) const;
  void warn_of_other_form(std::size_t i, const mindspore::MSTensor& given, const Lengths& shape);
  void publish(const std::vector<mindspore::MSTensor>& given, std::span<const Tensor> arguments,
               const std::vector<mindspore::MSTensor>& results);

  PreparedProgram program_;
  const Target target_;
  std::atomic<bool> has_warned_ = false;
  mutable std::mutex mutex_;  // guards what follows
  std::vector<Lengths> shapes_;
  std::vector<mindspore::MSTensor> inputs_, outputs_;
  bool outputs_are_known_ = false;
};

}  // namespace mycel::api
