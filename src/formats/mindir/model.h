// SPDX-License-Identifier: Apache-2.0
// Networks stored as MindIR files: reading them and running them.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "formats/model_bytes.h"
#include "formats/program/graph.h"
#include "platform/cipher/envelope.h"
#include "tensor/tensor.h"

namespace mycel::formats::mindir {

// What is known of an input.
struct Input {
  std::string name;  // without that of the graph
  std::string kind;  // "Tensor", or the type the file names, such as "Tuple"; empty: nothing
  std::optional<tensor::DType> dtype;             // of a tensor; none: any
  std::optional<std::vector<std::int64_t>> dims;  // of a tensor; -1: any length, -2: any shape

  bool is_monad() const { return kind.find("Monad") != std::string::npos; }
  // Whether a value is what the network was exported for: TypeError or ValueError where not.
  void check(const op::Datum& value, bool any_shape) const;
};

struct Parameter {
  std::string name;
  tensor::Tensor tensor;
};

// A Map operation of a dataset, as JSON texts.
struct MapOperation {
  std::string input_columns, output_columns, operations;
};

// Where sparse tensors are in a result.
struct ResultPlan {
  enum class Kind : std::uint8_t { Plain, Coo, Csr, Parts };
  Kind kind = Kind::Plain;
  std::vector<ResultPlan> parts;
};

// Safe to use from many threads at once.
class Model {
 public:
  Model() = default;
  Model(const Model&) = delete;
  Model& operator=(const Model&) = delete;

  // An error (RuntimeError) for a file that is damaged, encrypted otherwise, or of a form that is
  // not known. `emitter`: of those who will run it.
  static std::shared_ptr<const Model> load(const std::string& path, const platform::CipherKey& key,
                                           op::Emitter& emitter, const TensorFilter& filter = {});
  // A model that is in memory; `folder`: where data files may lie, if anywhere.
  static std::shared_ptr<const Model> read(std::string content, std::optional<std::string> folder,
                                           op::Emitter& emitter, const TensorFilter& filter = {});

  const std::string& name() const { return graphs_.front()->name; }
  std::vector<std::string> graph_names() const;
  const std::string& version() const { return version_; }
  const std::vector<std::pair<std::string, std::string>>& user_info() const { return user_info_; }
  const std::vector<Input>& inputs() const { return inputs_; }  // without those of no value
  const std::vector<Parameter>& parameters() const { return parameters_; }
  const ResultPlan& result() const { return result_; }
  const std::vector<MapOperation>& preprocessing() const { return preprocessing_; }  // of inputs

  // What the network gives for these inputs; of a parameter, a copy. `parameters` take the place of
  // those of the file.
  Datum run(std::span<const Datum> arguments, std::span<const op::Value> parameters,
            Host& host) const;

 private:
  friend class Builder;
  std::string version_;
  std::vector<std::pair<std::string, std::string>> user_info_;
  std::vector<std::unique_ptr<Graph>> graphs_;  // the outermost first
  std::vector<Input> inputs_;
  std::vector<bool> is_value_;  // of the outermost graph's inputs
  std::vector<Parameter> parameters_;
  ResultPlan result_;
  std::vector<MapOperation> preprocessing_;
};

}  // namespace mycel::formats::mindir
