// SPDX-License-Identifier: Apache-2.0
#include "formats/writing/network.h"

#include <algorithm>

#include "platform/error/error.h"

namespace mycel::formats::writing {

std::string Node::place() const {
  return position.file.empty() ? "an unknown line"
                               : platform::join(position.file, ":", position.line);
}

const Node* Node::written_parameter() const {
  if (!is_writing()) return nullptr;
  const Node* target = this;
  while (target->is_writing()) target = target->operands[0].node;
  return target->is_parameter() ? target : nullptr;
}

std::vector<const Node*> StraightGraph::parameters() const {
  std::vector<const Node*> found;
  std::copy_if(nodes.begin(), nodes.end(), std::back_inserter(found),
               [](const Node* node) { return node->is_parameter(); });
  return found;
}

std::set<Value> StraightGraph::read_values() const {
  std::set<Value> read(results.begin(), results.end());
  for (const Node* node : nodes) read.insert(node->operands.begin(), node->operands.end());
  return read;
}

std::vector<TensorSpec> Way::types() const {
  const Way* leaf = this;
  while (leaf->question) leaf = leaf->if_true.get();
  std::vector<TensorSpec> types;
  for (const Value& value : leaf->results) types.push_back(value.type());
  return types;
}

void Way::for_graphs(const std::function<void(const StraightGraph&)>& visit) const {
  visit(graph);
  for (const Node* node : graph.nodes) {
    if (!node->loop) continue;
    if (node->loop->condition) node->loop->condition->for_graphs(visit);
    node->loop->body.for_graphs(visit);
  }
  if (!question) return;
  if_true->for_graphs(visit);
  if_false->for_graphs(visit);
}

std::vector<const Node*> Loop::parameters() const {
  std::vector<const Node*> found;
  std::set<const Node*> known;
  const auto collect = [&](const StraightGraph& graph) {
    for (const Node* node : graph.parameters())
      if (known.insert(node).second) found.push_back(node);
  };
  if (condition) condition->for_graphs(collect);
  body.for_graphs(collect);
  return found;
}

}  // namespace mycel::formats::writing
