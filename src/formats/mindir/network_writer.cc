// SPDX-License-Identifier: Apache-2.0
#include "formats/mindir/network_writer.h"

#include <algorithm>

#include "formats/writing/use.h"
#include "operator/mindir_call.h"
#include "platform/error/error.h"

namespace mycel::formats::mindir {

using op::TensorSpec;
using op::mindir::Symbol;
using platform::ErrorKind;
using writing::Loop;
using writing::Node;
using writing::StraightGraph;
using writing::Value;
using writing::Way;

namespace {

class WrittenCall final : public op::mindir::Call {
 public:
  WrittenCall(GraphWriter& writer, Node& node, const std::set<Value>& read)
      : Call(writing::facts_of(node, read, "MindIR"), writer), writer_(writer), node_(node) {}

  Symbol unconverted(std::size_t i) const override {
    const Value& operand = node_.operands[i];
    const bool is_converted = operand.node->is_operator() &&
                              operand.node->definition->name == "cast" &&
                              !operand.node->operands[0].node->is_number();
    return writer_.symbol(is_converted ? operand.node->operands[0] : operand);
  }

 protected:
  Symbol value(std::size_t i) const override { return writer_.symbol(node_.operands[i]); }

 private:
  GraphWriter& writer_;
  Node& node_;
};

// Whether there is a primitive of the operator's own that only computes.
bool is_primitive(const op::OpDef& definition) {
  return !definition.primitive.empty() && !definition.has_effects;
}

// Operands; those of a calculation by element in one type, as primitives do not convert.
std::vector<Symbol> operands_of(const op::mindir::Call& call) {
  std::vector<Symbol> operands;
  std::optional<op::DType> wanted;
  if (call.definition().is_elementwise()) {
    const op::DType type = call.dtype() == op::DType::Bool ? call.common_type() : call.dtype();
    bool is_mixed = false;
    bool has_floats = false;
    for (std::size_t i = 0; i < call.operand_count(); ++i) {
      is_mixed |= call.has(i) && call.dtype_of(i) != type;
      has_floats |= call.has(i) && tensor::is_floating(call.dtype_of(i));
    }
    const bool is_real = tensor::is_floating(call.dtype()) || call.dtype() == op::DType::Bool;
    if (is_mixed && (is_real || !has_floats)) wanted = type;
  }
  for (std::size_t i = 0; i < call.operand_count(); ++i)
    operands.push_back(wanted ? call.input(i, *wanted) : call.input(i));
  return operands;
}

// The operator under its public name; attributes given in the call come after the tensors.
std::vector<Symbol> as_primitive(const op::mindir::Call& call) {
  op::mindir::Graph& graph = call.graph();
  const op::OpDef& definition = call.definition();
  std::vector<Symbol> operands = operands_of(call);
  while (!operands.empty() && !operands.back().defined()) operands.pop_back();
  std::vector<std::string> values;
  std::vector<TensorSpec> specs;
  for (const Symbol& one : operands) {
    values.push_back(one.defined() ? one.name() : graph.constant({}));
    specs.push_back(one.spec());
  }
  if (!definition.inputs.empty() && definition.inputs[0].variadic)
    values = {graph.tuple_of(values, specs)};
  op::mindir::NamedList attributes;
  for (std::size_t i = 0; i < definition.attributes.size(); ++i) {
    const op::AttributeDef& attribute = definition.attributes[i];
    const op::mindir::Plain value(call.attribute(attribute.name));
    if (attribute.in_call)
      values.push_back(graph.constant(value.datum));
    else
      attributes.push_back({attribute.name, value});
  }
  const std::vector<TensorSpec>& types = call.outputs();
  const bool is_tuple = types.size() > 1;
  const std::string made = graph.call(definition.primitive, values, types, is_tuple, attributes);
  if (!is_tuple) return {Symbol(graph, made, types[0].dtype, types[0].shape)};
  std::vector<Symbol> parts;
  for (std::size_t i = 0; i < call.wanted(); ++i)
    parts.emplace_back(graph, graph.part(made, i, types[i]), types[i].dtype, types[i].shape);
  return parts;
}

// What a branch is chosen by: a mask without axes.
std::string truth_of(GraphWriter& writer, const Value& value) {
  Symbol symbol = writer.symbol(value);
  if (symbol.dtype() != op::DType::Bool) symbol = symbol.add("NotEqual", {0});
  return symbol.reshape({}).name();
}

}  // namespace

void NetworkWriter::check(const std::optional<std::set<std::string>>& own_parameters) {
  network_.way().for_graphs([&](const StraightGraph& graph) {
    check_operators(graph);
    if (!own_parameters) return;
    for (const Node* parameter : graph.parameters()) {
      platform::require(own_parameters->contains(parameter->name), ErrorKind::Value,
                        "For 'export', the parameter '", parameter->name,
                        "' does not belong to the network '", network_.name(),
                        "': assign it to an attribute of a cell.");
    }
  });
}

void NetworkWriter::check_operators(const StraightGraph& graph) {
  const std::string missing =
      writing::missing_operators(graph, folding_, [](const op::OpDef& definition) {
        return is_primitive(definition) || op::mindir::find_rule(definition) != nullptr;
      });
  platform::require(missing.empty(), ErrorKind::Type, "'", network_.name(),
                    "' cannot be written as MindIR, which has no primitive for ", missing, ".");
}

std::unique_ptr<GraphWriter> NetworkWriter::write(const std::vector<std::string>& input_names) {
  const Way& way = network_.way();
  auto writer = std::make_unique<GraphWriter>(file_, network_.name() + "_construct");
  for (std::size_t i = 0; i < way.graph.arguments.size(); ++i) {
    const bool is_named = i < input_names.size();
    writer->add_input({way.graph.arguments[i], 0},
                      is_named ? input_names[i] : platform::join("x", i));
  }
  write_way(*writer, way, way.types(),
            [](GraphWriter& graph, const auto& results) { graph.set_results(results); });
  return writer;
}

// What is computed until a piece gives its results or decides, and then the branches. `types`: of
// what the graph returns.
void NetworkWriter::write_way(GraphWriter& writer, const Way& way, const Types& types,
                              const Finish& finish) {
  write_nodes(writer, way.graph);
  if (!way.question) {
    finish(writer, way.results);
    return;
  }
  std::vector<GraphWriter*> branches;
  for (const Way* child : {way.if_true.get(), way.if_false.get()}) {
    branches.push_back(&writer.function("branch"));
    write_way(*branches.back(), *child, types, finish);
  }
  const std::string condition = truth_of(writer, way.question);
  writer.set_choice(condition, {*branches[0], branches[0]->passed()},
                    {*branches[1], branches[1]->passed()}, types);
}

void NetworkWriter::write_nodes(GraphWriter& writer, const StraightGraph& graph) {
  const std::set<Value> read = graph.read_values();
  std::set<const Node*> written;
  for (const Node* node : graph.nodes) written.insert(node->written_parameter());
  for (Node* node : graph.nodes) {
    write_node(writer, *node, read);
    if (written.contains(node)) writer.load(*node);
    if (const Node* parameter = node->written_parameter()) writer.store(*parameter, {node, 0});
  }
}

void NetworkWriter::write_node(GraphWriter& writer, Node& node, const std::set<Value>& read) {
  const auto constants = [&](std::span<const tensor::Tensor> tensors) {
    for (std::uint32_t i = 0; i < tensors.size(); ++i) {
      const op::Datum content{op::Value(&file_.emitter, tensors[i])};
      writer.name_values({{&node, i}}, {writer.constant(content)});
    }
  };
  if (node.loop) {
    write_loop(writer, node);
  } else if (node.is_parameter()) {
    writer.add_parameter(node);
  } else if (node.is_operator() && folding_.is_constant(node)) {
    constants(folding_.computed(node));
  } else if (node.is_operator()) {
    const std::vector<std::string> names = write_operator(writer, node, read);
    for (std::uint32_t i = 0; i < names.size(); ++i) writer.name_values({{&node, i}}, {names[i]});
  } else if (!node.is_number()) {  // written where they are used, in the type they have there
    constants(std::span(&node.tensor, 1));
  }
}

std::vector<std::string> NetworkWriter::write_operator(GraphWriter& writer, Node& node,
                                                       const std::set<Value>& read) {
  const WrittenCall call(writer, node, read);
  const op::mindir::Rule* rule = op::mindir::find_rule(*node.definition);
  const std::vector<Symbol> outputs = rule != nullptr ? (*rule)(call).outputs : as_primitive(call);
  std::vector<std::string> names;
  for (std::size_t i = 0; i < std::min(outputs.size(), node.types.size()); ++i)
    names.push_back(outputs[i].to(node.types[i].dtype).name());
  return names;
}

// Graphs that call each other: one asks whether a turn is made, one makes it, one ends the loop.
void NetworkWriter::write_loop(GraphWriter& writer, const Node& node) {
  const Loop& loop = *node.loop;
  const std::vector<const Node*> parameters = loop.parameters();
  if (!loop.condition) {
    GraphWriter& once = writer.loop_function("choice", node.operands, parameters);
    write_way(once, loop.body, node.types,
              [](GraphWriter& graph, const auto& results) { graph.set_results(results); });
    const auto given = writer.given(node.operands, parameters);
    writer.name_values(loop.ends, writer.call_function(once, given, node.types));
    return;
  }
  const std::vector<Value> outer(
      node.operands.begin() + static_cast<std::ptrdiff_t>(loop.begins.size()), node.operands.end());
  std::vector<Value> inputs = loop.starts;
  inputs.insert(inputs.end(), outer.begin(), outer.end());
  GraphWriter& turn = writer.loop_function("turn", inputs, parameters);
  GraphWriter& asking = writer.loop_function("loop", inputs, parameters);
  GraphWriter& end = writer.loop_function("end", loop.starts, {});
  end.set_results(loop.starts);
  const auto decide = [&](GraphWriter& graph, const std::vector<Value>& results) {
    const auto of_turn = graph.given(inputs, parameters);
    const auto of_end = graph.given(loop.starts, {});
    graph.set_choice(graph.name_of(results[0]), {turn, of_turn}, {end, of_end}, node.types);
  };
  const auto go_on = [&](GraphWriter& graph, const std::vector<Value>& results) {
    std::vector<Value> next = results;
    next.insert(next.end(), outer.begin(), outer.end());
    graph.set_call(asking, graph.given(next, parameters), node.types);
  };
  write_way(asking, *loop.condition, node.types, decide);
  write_way(turn, loop.body, node.types, go_on);
  const auto given = writer.given(node.operands, parameters);
  writer.name_values(loop.ends, writer.call_function(asking, given, node.types));
}

}  // namespace mycel::formats::mindir
