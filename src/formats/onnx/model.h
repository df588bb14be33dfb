// SPDX-License-Identifier: Apache-2.0
// Networks stored as ONNX files: reading them and running them.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "formats/message/message_view.h"
#include "formats/model_bytes.h"
#include "formats/onnx/graph.h"
#include "formats/program/host.h"
#include "tensor/tensor.h"

namespace mycel::formats::onnx {

class TensorReader;

// What is known of an input.
struct Input {
  std::string name;
  std::optional<tensor::DType> dtype;             // none: any
  std::optional<std::vector<std::int64_t>> dims;  // none: any shape; -1: any length

  // TypeError or ValueError where a value is not what the network takes.
  void check(const Datum& value, bool any_shape) const;
};

struct Parameter {
  std::string name;
  tensor::Tensor tensor;
};

// Safe to use from many threads at once.
class Model {
 public:
  Model() = default;
  Model(const Model&) = delete;
  Model& operator=(const Model&) = delete;

  // ValueError for a file that is damaged, contradicts itself or leaves its folder;
  // NotImplementedError for operators or versions that are not there. `emitter`: of those who will
  // run it.
  static std::shared_ptr<const Model> load(const std::string& path, op::Emitter& emitter,
                                           const TensorFilter& filter = {});
  // A model that is in memory; `folder`: where data files may lie, if anywhere.
  static std::shared_ptr<const Model> read(std::string content, std::optional<std::string> folder,
                                           op::Emitter& emitter, const TensorFilter& filter = {});

  const std::string& name() const { return graph_->name; }
  int opset() const { return opset_; }
  const std::vector<Input>& inputs() const { return inputs_; }
  const std::vector<std::string>& outputs() const { return outputs_; }
  const std::vector<Parameter>& parameters() const { return parameters_; }

  // A tensor, or a tuple where there are several outputs; of a parameter or constant, a copy.
  // `parameters` take the place of those of the file.
  Datum run(std::span<const Datum> arguments, std::span<const op::Value> parameters,
            Host& host) const;

 private:
  friend std::shared_ptr<const Model> build(const MessageView& message, TensorReader& tensors,
                                            op::Emitter& emitter);
  int opset_ = 0;
  std::unique_ptr<Graph> graph_;
  std::vector<Input> inputs_;
  std::vector<std::string> outputs_;
  std::vector<Parameter> parameters_;
};

// Floating tensors with axes of a file's network, whether or not all its operators are known.
std::vector<Parameter> load_weights(const std::string& path);

}  // namespace mycel::formats::onnx
