// SPDX-License-Identifier: Apache-2.0
// Graphs of ONNX files that are being written.
#pragma once

#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "formats/message/written_message.h"
#include "operator/op_def.h"
#include "operator/written_operand.h"

namespace mycel::formats::onnx {

using Names = std::vector<std::string>;
struct InnerGraph;

struct WrittenNode {
  std::string kind, name;
  Names inputs, outputs;  // an absent input is an empty name
  std::vector<WrittenMessage> attributes;
  std::vector<InnerGraph> graphs;
};

struct WrittenSize {
  std::int64_t size = 0;
  std::string name;  // of one that may be any
};

// What is said of an input or output.
struct WrittenValue {
  std::string name;
  tensor::DType dtype = tensor::DType::Float32;
  std::vector<WrittenSize> sizes;
};

struct WrittenGraph {
  std::string name;
  std::vector<WrittenNode> nodes;
  std::vector<WrittenValue> inputs, outputs;
};

// An attribute that is a graph.
struct InnerGraph {
  std::string attribute;
  WrittenGraph graph;
};

WrittenValue value_of(std::string name, const op::TensorSpec& type);
// An attribute with a number, a text, or a list of these.
WrittenMessage attribute_message(std::string_view name, const op::Datum& value);
WrittenMessage graph_message(const WrittenGraph& graph);

// Every node, those of graphs inside nodes too.
void for_nodes(WrittenGraph& graph, const std::function<void(WrittenNode&)>& visit);
// Leaves out nodes on which no output depends; gives all names that are read.
std::set<std::string> drop_unused(WrittenGraph& graph);
// What an Identity of this graph passes on; the name itself if it is something else.
const std::string& source_of(const WrittenGraph& graph, const std::string& name);
// Gives a result another name; an Identity that only passes a value on goes.
void rename_result(WrittenGraph& graph, const std::string& name, const std::string& new_name);
// Makes values the outputs, each computed here and none twice. `new_name`: for nodes and values.
void set_outputs(WrittenGraph& graph, const Names& results,
                 const std::vector<op::TensorSpec>& types,
                 const std::function<std::string(std::string)>& new_name);

}  // namespace mycel::formats::onnx
