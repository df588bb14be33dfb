// SPDX-License-Identifier: Apache-2.0
#include "formats/onnx/written_graph.h"

#include <algorithm>

#include "formats/onnx/messages.h"
#include "operator/stored_call.h"

namespace mycel::formats::onnx {

using op::Datum;

namespace {

// Kinds of attributes.
constexpr int kFloat = 1, kInt = 2, kString = 3, kGraph = 5, kFloats = 6, kInts = 7, kStrings = 8;
constexpr std::string_view kPassing = "Identity";

const MessageSpec& graph_spec() { return onnx_model().part("graph"); }
const MessageSpec& attribute_spec() { return graph_spec().part("node").part("attribute"); }

WrittenMessage value_message(const WrittenValue& value) {
  WrittenMessage message(graph_spec().part("input"));
  message.put("name", value.name);
  WrittenMessage& tensor = message.message("type").message("tensor_type");
  tensor.put("elem_type", op::stored_number(value.dtype));
  WrittenMessage& shape = tensor.message("shape");
  for (const WrittenSize& size : value.sizes) {
    WrittenMessage& dim = shape.message("dim");
    if (size.name.empty())
      dim.put("dim_value", size.size);
    else
      dim.put("dim_param", size.name);
  }
  return message;
}

WrittenMessage node_message(const WrittenNode& node) {
  WrittenMessage message(graph_spec().part("node"));
  for (const std::string& input : node.inputs) message.put("input", input);
  for (const std::string& output : node.outputs) message.put("output", output);
  message.put("name", node.name).put("op_type", node.kind);
  for (const WrittenMessage& attribute : node.attributes) message.put("attribute", attribute);
  for (const auto& [name, graph] : node.graphs) {
    WrittenMessage& attribute = message.message("attribute");
    attribute.put("name", name).put("g", graph_message(graph)).put("type", kGraph);
  }
  return message;
}

// Names that graphs inside a node read.
void add_read_inside(const WrittenNode& node, std::set<std::string>& names) {
  for (const InnerGraph& inner : node.graphs) {
    for (const WrittenValue& output : inner.graph.outputs) names.insert(output.name);
    for (const WrittenNode& each : inner.graph.nodes) {
      names.insert(each.inputs.begin(), each.inputs.end());
      add_read_inside(each, names);
    }
  }
}

const WrittenNode* maker_of(const WrittenGraph& graph, const std::string& name) {
  for (auto node = graph.nodes.rbegin(); node != graph.nodes.rend(); ++node)
    if (std::find(node->outputs.begin(), node->outputs.end(), name) != node->outputs.end())
      return &*node;
  return nullptr;
}

bool is_output(const WrittenGraph& graph, const std::string& name) {
  return std::any_of(graph.outputs.begin(), graph.outputs.end(),
                     [&](const WrittenValue& output) { return output.name == name; });
}

}  // namespace

WrittenValue value_of(std::string name, const op::TensorSpec& type) {
  WrittenValue value{std::move(name), type.dtype, {}};
  for (const std::int64_t size : type.shape) value.sizes.push_back({size, {}});
  return value;
}

WrittenMessage attribute_message(std::string_view name, const Datum& value) {
  WrittenMessage attribute(attribute_spec());
  attribute.put("name", std::string(name));
  if (value.is_bool()) return attribute.put("i", value.flag()).put("type", kInt);
  if (value.is_int()) return attribute.put("i", value.integer()).put("type", kInt);
  if (value.is_real()) return attribute.put("f", value.real()).put("type", kFloat);
  if (value.is_text()) return attribute.put("s", value.text()).put("type", kString);
  int kind = kInts;
  for (const Datum& item : value.items()) {
    if (item.is_int()) {
      attribute.put("ints", item.integer());
    } else if (item.is_text()) {
      attribute.put("strings", item.text());
      kind = kStrings;
    } else {
      attribute.put("floats", item.real());
      kind = kFloats;
    }
  }
  return attribute.put("type", kind);
}

WrittenMessage graph_message(const WrittenGraph& graph) {
  WrittenMessage message(graph_spec());
  for (const WrittenNode& node : graph.nodes) message.put("node", node_message(node));
  message.put("name", graph.name);
  for (const WrittenValue& input : graph.inputs) message.put("input", value_message(input));
  for (const WrittenValue& output : graph.outputs) message.put("output", value_message(output));
  return message;
}

void for_nodes(WrittenGraph& graph, const std::function<void(WrittenNode&)>& visit) {
  for (WrittenNode& node : graph.nodes) {
    visit(node);
    for (InnerGraph& inner : node.graphs) for_nodes(inner.graph, visit);
  }
}

std::set<std::string> drop_unused(WrittenGraph& graph) {
  std::set<std::string> wanted;
  for (const WrittenValue& output : graph.outputs) wanted.insert(output.name);
  std::vector<WrittenNode> used;
  for (auto node = graph.nodes.rbegin(); node != graph.nodes.rend(); ++node) {
    const bool is_wanted =
        std::any_of(node->outputs.begin(), node->outputs.end(),
                    [&](const std::string& name) { return wanted.contains(name); });
    if (!is_wanted) continue;
    wanted.insert(node->inputs.begin(), node->inputs.end());
    add_read_inside(*node, wanted);
    used.push_back(std::move(*node));
  }
  graph.nodes.assign(std::make_move_iterator(used.rbegin()), std::make_move_iterator(used.rend()));
  return wanted;
}

const std::string& source_of(const WrittenGraph& graph, const std::string& name) {
  const WrittenNode* maker = maker_of(graph, name);
  return maker != nullptr && maker->kind == kPassing ? maker->inputs[0] : name;
}

void rename_result(WrittenGraph& graph, const std::string& name, const std::string& new_name) {
  std::string old = source_of(graph, name);
  std::set<std::string> inside;
  for (const WrittenNode& node : graph.nodes) add_read_inside(node, inside);
  const bool is_last = old != name && maker_of(graph, old) != nullptr && !is_output(graph, old);
  if (is_last && !inside.contains(old))
    std::erase_if(graph.nodes, [&](const WrittenNode& node) { return node.outputs[0] == name; });
  else
    old = name;
  for (WrittenNode& node : graph.nodes) {
    std::replace(node.inputs.begin(), node.inputs.end(), old, new_name);
    std::replace(node.outputs.begin(), node.outputs.end(), old, new_name);
  }
}

void set_outputs(WrittenGraph& graph, const Names& results,
                 const std::vector<op::TensorSpec>& types,
                 const std::function<std::string(std::string)>& new_name) {
  for (std::size_t i = 0; i < results.size(); ++i) {
    const auto is_free = [&](const std::string& name) {
      return maker_of(graph, name) != nullptr && !is_output(graph, name);
    };
    const std::string source = source_of(graph, results[i]);
    std::string name = is_free(source) ? source : results[i];
    if (!is_free(name)) {
      WrittenNode passing{.kind = std::string(kPassing), .inputs = {name}};
      name = new_name(passing.kind);
      passing.outputs = {name};
      passing.name = new_name(passing.kind + "_node");
      graph.nodes.push_back(std::move(passing));
    }
    graph.outputs.push_back(value_of(name, types[i]));
  }
}

}  // namespace mycel::formats::onnx
