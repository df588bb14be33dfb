// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "formats/onnx/written_graph.h"
#include "formats/writing/known_constants.h"
#include "formats/writing/network.h"
#include "formats/writing/written_file.h"
#include "operator/onnx_symbol.h"

namespace mycel::formats::onnx {

// Names of a file; every one is given once.
class NameGiver {
 public:
  // The name, or with a number behind it where something has it already.
  std::string free(const std::string& name);

 private:
  std::unordered_set<std::string> taken_;
  std::unordered_map<std::string, std::size_t> counts_;
};

// What the graphs of a file share.
struct FileWriter {
  op::Emitter& emitter;
  bool is_sharing = true;  // equal constants are written once
  NameGiver names = {};
  std::vector<writing::Weight> tensors = {};  // that the file holds
  writing::KnownConstants constants = {};
  std::map<writing::Value, std::string> stored = {};

  std::string add_tensor(const tensor::Tensor& tensor, const std::string& name);
};

// A graph of a file while it grows; values of the graph around it can be used.
class GraphWriter final : public op::onnx::Graph {
 public:
  using Value = writing::Value;

  explicit GraphWriter(FileWriter& file) : file_(file), graph_(std::make_shared<WrittenGraph>()) {}

  std::unique_ptr<GraphWriter> subgraph() const;  // a graph inside a node of this one
  // Adds nodes to this graph, but has names of its own for values.
  std::unique_ptr<GraphWriter> scope() const;

  WrittenGraph& graph() { return *graph_; }
  std::string new_name(const std::string& hint) { return file_.names.free(hint); }
  // The name under which a value is known here.
  const std::string& name_of(const Value& value) const;
  void name_values(const std::vector<Value>& values, const Names& names);
  op::onnx::Symbol symbol(const Value& value);

  std::string add_input(const std::string& hint, const op::TensorSpec& type);
  // The name of a tensor that the file holds for a value, for all graphs.
  std::string stored(const Value& value, const tensor::Tensor& tensor, const std::string& hint);
  // A node with graphs inside.
  Names add_control(const std::string& kind, Names inputs, std::size_t outputs,
                    std::vector<InnerGraph> graphs);
  // This graph for a node around it, with its results.
  InnerGraph as_attribute(const std::string& attribute, const Names& results,
                          const std::vector<op::TensorSpec>& types);

  // ---- what rules write with ----
  Names add(std::string_view kind, Names inputs, std::size_t outputs,
            const op::onnx::NamedList& attributes) override;
  std::string constant(const tensor::Tensor& value) override;
  op::Emitter& emitter() override { return file_.emitter; }

 private:
  GraphWriter(FileWriter& file, std::shared_ptr<WrittenGraph> graph, const GraphWriter* above)
      : file_(file), graph_(std::move(graph)), above_(above) {}

  WrittenNode& add_node(const std::string& kind, Names inputs, std::size_t outputs);

  FileWriter& file_;
  std::shared_ptr<WrittenGraph> graph_;  // of a scope: that of the writer above
  const GraphWriter* above_ = nullptr;
  std::map<Value, std::string> names_;
};

}  // namespace mycel::formats::onnx
