// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "formats/onnx/graph.h"
#include "formats/onnx/model.h"
#include "formats/onnx/stored_tensors.h"

namespace mycel::formats::onnx {

// Turns messages into graphs. An error (ValueError) for what no network can be, and
// NotImplementedError for operators that nobody knows.
class GraphReader {
 public:
  GraphReader(TensorReader& tensors, op::Emitter& emitter,
              const std::vector<MessageView>& functions);

  // The outermost graph; floating tensors with axes are added to the parameters.
  std::unique_ptr<Graph> read(const MessageView& message, std::vector<Parameter>& parameters);

 private:
  struct Scope;
  struct Contents;
  struct Attribute;
  using Given = std::map<std::string_view, Attribute>;  // attributes of a call of a function

  std::unique_ptr<Graph> graph(const Contents& contents, Scope* around, const Given* given,
                               int depth);
  void take_tensors(const Contents& contents, Scope& scope, bool is_outermost);
  void take_nodes(const Contents& contents, Scope& scope, const Given* given, int depth);
  Step step(const MessageView& message, Scope& scope, const Given* given, int depth,
            std::string hint);
  void take_attributes(Step& step, const std::vector<Attribute>& attributes, Scope& scope,
                       int depth);
  std::unique_ptr<Graph> function_body(const MessageView& function,
                                       const std::vector<Attribute>& attributes, int depth);
  void count_copied(std::size_t nodes, std::size_t names);
  static std::vector<Attribute> attributes_of(const MessageView& node, const Given* given);
  Datum value(const Attribute& attribute, const std::string& node);
  Datum constant(const MessageView& tensor);
  static void note_last_uses(Graph& graph);

  TensorReader& tensors_;
  op::Emitter& emitter_;
  std::map<std::pair<std::string_view, std::string_view>, MessageView> functions_;
  std::vector<Parameter>* parameters_ = nullptr;
  std::vector<std::pair<std::string, std::string>> unknown_;  // operators, and a node that uses one
  std::set<std::string> unknown_kinds_;
  int functions_around_ = 0;  // those that are being read
  std::size_t copied_nodes_ = 0, copied_names_ = 0;
};

}  // namespace mycel::formats::onnx
