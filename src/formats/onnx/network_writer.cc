// SPDX-License-Identifier: Apache-2.0
#include "formats/onnx/network_writer.h"

#include <algorithm>
#include <array>

#include "formats/writing/use.h"
#include "operator/onnx_call.h"
#include "platform/error/error.h"

namespace mycel::formats::onnx {

using op::DType;
using op::OperatorUse;
using op::TensorSpec;
using op::onnx::Symbol;
using writing::Loop;
using writing::Node;
using writing::StraightGraph;
using writing::Value;
using writing::Way;

namespace {

class WrittenCall final : public op::onnx::Call {
 public:
  WrittenCall(GraphWriter& writer, Node& node, const StraightGraph& graph,
              const std::set<Value>& read)
      : Call(writing::facts_of(node, read, "ONNX"), writer),
        writer_(writer),
        node_(node),
        graph_(graph),
        read_(read) {}

  std::unique_ptr<Call> producer(std::size_t i) const override {
    if (!has(i) || !node_.operands[i].node->is_operator()) return nullptr;
    return std::make_unique<WrittenCall>(writer_, *node_.operands[i].node, graph_, read_);
  }

  bool all_readers(std::size_t output,
                   const std::function<bool(const OperatorUse&)>& are_such) const override {
    const Value value{&node_, static_cast<std::uint32_t>(output)};
    return std::all_of(graph_.nodes.begin(), graph_.nodes.end(), [&](Node* node) {
      const auto& operands = node->operands;
      const bool reads = std::find(operands.begin(), operands.end(), value) != operands.end();
      return !reads || (node->is_operator() &&
                        are_such(OperatorUse(writing::facts_of(*node, read_, "ONNX"))));
    });
  }

 protected:
  Symbol value(std::size_t i) const override { return writer_.symbol(node_.operands[i]); }

 private:
  GraphWriter& writer_;
  Node& node_;
  const StraightGraph& graph_;
  const std::set<Value>& read_;
};

std::vector<Value> outputs_of(Node& node, std::size_t count) {
  std::vector<Value> values;
  for (std::uint32_t i = 0; i < count; ++i) values.push_back({&node, i});
  return values;
}

// What a branch is chosen by: a mask without axes.
std::string truth_of(GraphWriter& writer, const Value& value) {
  const Symbol mask = writer.symbol(value).to(DType::Bool);
  const std::string name = value.type().shape.empty() ? mask.name() : mask.reshape({}).name();
  return source_of(writer.graph(), name);
}

}  // namespace

void NetworkWriter::check() {
  network_.way().for_graphs([&](const StraightGraph& graph) {
    const std::string missing = writing::missing_operators(
        graph, folding_,
        [](const op::OpDef& definition) { return op::onnx::find_rule(definition) != nullptr; });
    platform::require(missing.empty(), platform::ErrorKind::Type, "'", network_.name(),
                      "' cannot be written as ONNX, which has no counterpart of ", missing, ".");
  });
}

WrittenGraph NetworkWriter::write(const std::vector<std::string>& input_names) {
  check();
  const Way& way = network_.way();
  GraphWriter writer(file_);
  for (std::size_t i = 0; i < way.graph.arguments.size(); ++i) {
    Node* argument = way.graph.arguments[i];
    const std::string name = i < input_names.size() ? input_names[i] : platform::join("input_", i);
    writer.name_values({{argument, 0}}, {writer.add_input(name, argument->types[0])});
  }
  const Names results = write_way(writer, way);
  const std::vector<TensorSpec> types = way.types();
  WrittenGraph& graph = writer.graph();
  for (std::size_t i = 0; i < results.size(); ++i) {
    const std::string name =
        writer.new_name(results.size() == 1 ? "output" : platform::join("output_", i));
    rename_result(graph, results[i], name);
    graph.outputs.push_back(value_of(name, types[i]));
  }
  graph.name = network_.name();
  return std::move(graph);
}

Names NetworkWriter::write_way(GraphWriter& writer, const Way& way) {
  const std::set<Value> read = way.graph.read_values();
  for (Node* node : way.graph.nodes) write_node(writer, *node, way.graph, read);
  if (!way.question) {
    Names names;
    for (const Value& value : way.results) names.push_back(writer.name_of(value));
    return names;
  }
  const std::vector<TensorSpec> types = way.types();
  std::vector<InnerGraph> branches;
  for (const auto& [name, child] : {std::pair{"then_branch", way.if_true.get()},
                                    std::pair{"else_branch", way.if_false.get()}}) {
    const std::unique_ptr<GraphWriter> branch = writer.subgraph();
    const Names results = write_way(*branch, *child);
    branches.push_back(branch->as_attribute(name, results, types));
  }
  const std::string condition = truth_of(writer, way.question);
  return writer.add_control("If", {condition}, types.size(), std::move(branches));
}

void NetworkWriter::write_node(GraphWriter& writer, Node& node, const StraightGraph& graph,
                               const std::set<Value>& read) {
  Names names;
  if (node.loop) {
    write_loop(writer, node);
    return;
  }
  if (node.is_operator() && op::onnx::find_rule(*node.definition) != nullptr) {
    names = write_operator(writer, node, graph, read);
  } else if (node.is_operator()) {
    const std::vector<tensor::Tensor>& tensors = folding_.computed(node);
    for (std::uint32_t i = 0; i < tensors.size(); ++i)
      names.push_back(writer.stored({&node, i}, tensors[i], node.definition->name));
  } else if (node.is_number()) {
    names = {writer.constant(node.tensor)};
  } else {
    names = {writer.stored({&node, 0}, node.tensor, node.is_parameter() ? node.name : "constant")};
  }
  writer.name_values(outputs_of(node, names.size()), names);
}

Names NetworkWriter::write_operator(GraphWriter& writer, Node& node, const StraightGraph& graph,
                                    const std::set<Value>& read) {
  const WrittenCall call(writer, node, graph, read);
  const std::vector<Symbol> outputs = (*op::onnx::find_rule(*node.definition))(call).outputs;
  Names names;
  for (std::size_t i = 0; i < std::min(outputs.size(), node.types.size()); ++i)
    names.push_back(outputs[i].to(node.types[i].dtype).name());
  return names;
}

// The condition is written twice: before the loop, and at the end of a turn for the next one.
void NetworkWriter::write_loop(GraphWriter& writer, const Node& node) {
  const Loop& loop = *node.loop;
  if (!loop.condition) {
    const std::unique_ptr<GraphWriter> once = writer.scope();
    writer.name_values(loop.ends, write_way(*once, loop.body));
    return;
  }
  Names begins;
  for (const Value& value : loop.begins) begins.push_back(writer.name_of(value));
  const std::unique_ptr<GraphWriter> before = writer.scope();
  before->name_values(loop.starts, begins);
  const std::string first = write_way(*before, *loop.condition)[0];

  const std::unique_ptr<GraphWriter> body = writer.subgraph();
  body->add_input("turn", {DType::Int64, {}});
  body->add_input("goes_on", {DType::Bool, {}});
  Names starts;
  for (std::size_t i = 0; i < node.types.size(); ++i)
    starts.push_back(body->add_input(platform::join("variable_", i), node.types[i]));
  body->name_values(loop.starts, starts);
  Names results;
  for (const std::string& name : write_way(*body, loop.body))
    results.push_back(source_of(body->graph(), name));
  const std::unique_ptr<GraphWriter> after = body->scope();
  after->name_values(loop.starts, results);
  results.insert(results.begin(), write_way(*after, *loop.condition)[0]);
  std::vector<TensorSpec> types{{DType::Bool, {}}};
  types.insert(types.end(), node.types.begin(), node.types.end());

  Names inputs{"", source_of(writer.graph(), first)};
  inputs.insert(inputs.end(), begins.begin(), begins.end());
  std::vector<InnerGraph> graphs;
  graphs.push_back(body->as_attribute("body", results, types));
  writer.name_values(loop.ends, writer.add_control("Loop", std::move(inputs), node.types.size(),
                                                   std::move(graphs)));
}

}  // namespace mycel::formats::onnx
