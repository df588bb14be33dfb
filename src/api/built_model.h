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
#include "platform/error/error.h"

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
  bool has_preprocessing() const { return !program_.source().preprocessing().empty(); }
  // Samples of one or several columns, through what is stored with the program; the results are
  // stacked.
  std::vector<mindspore::MSTensor> preprocess(
      const std::vector<std::vector<mindspore::MSTensor>>& samples);

 private:
  using Lengths = std::vector<std::int64_t>;
  using Types = std::vector<op::TensorSpec>;

  // What `work` gives; what goes wrong in it says of which model.
  template <class Work>
  auto named_in_errors(const Work& work) const {
    try {
      return work();
    } catch (const platform::Error& error) {
      platform::fail(error.kind(), "model '", name(), "': ", error.message());
    }
  }
  std::shared_ptr<const Preprocessing> preprocessing();
  std::string output_name(std::size_t i) const;
  std::vector<mindspore::MSTensor> described_outputs(std::span<const op::TensorSpec> types) const;
  const ProgramInput& spec(std::size_t i) const { return program_.source().inputs()[i]; }
  std::vector<Lengths> shapes() const;
  // Makes these the usual shapes.
  void prepare(std::vector<Lengths> shapes);
  Types probed_outputs();
  Tensor argument(std::size_t i, const mindspore::MSTensor& given, const Lengths& usual);
  Lengths shape_of(std::size_t i, const mindspore::MSTensor& given, const Lengths& usual) const;
  void warn_of_other_form(std::size_t i, const mindspore::MSTensor& given, const Lengths& shape);
  void publish(const std::vector<mindspore::MSTensor>& given, std::span<const Tensor> arguments,
               const std::vector<mindspore::MSTensor>& results, const std::vector<Lengths>& usual);

  PreparedProgram program_;
  const Target target_;
  std::atomic<bool> has_warned_ = false;
  mutable std::mutex mutex_;  // guards what follows
  std::vector<Lengths> shapes_;
  std::vector<mindspore::MSTensor> inputs_, outputs_;
  bool outputs_are_known_ = false;
  std::shared_ptr<const Preprocessing> preprocessing_;  // null: not needed so far
};

}  // namespace mycel::api
