// SPDX-License-Identifier: Apache-2.0
#include "operator/written_input.h"
#include "passes/passes.h"
#include "passes/rewrite.h"

namespace mycel::passes {
namespace {

using ir::Node;
using ir::NodeKind;
using ir::Output;

// Whether a value has memory that was made for it in its region, or for each turn of its loop.
bool owns_memory(Output value) {
  const Node& node = *value.node;
  switch (node.kind()) {
    case NodeKind::If:
    case NodeKind::While: return true;
    case NodeKind::Argument:
      return node.parent().owner() != nullptr && node.parent().owner()->kind() == NodeKind::While;
    case NodeKind::Operator: {
      const op::OpDef& definition = *node.definition();
      if (definition.view != nullptr || definition.dynamic_outputs) return false;
      const int written = op::written_input(definition, value.index);
      if (written < 0) return true;
      const Output target = node.operands()[static_cast<std::size_t>(written)];
      return &target.node->parent() == &node.parent() && owns_memory(target);
    }
    case NodeKind::Constant:
    case NodeKind::Parameter:
    case NodeKind::HostCall: return false;
  }
  return false;
}

bool is_idle_copy(const Node& node) {
  const op::Traits* traits = traits_of(node);
  if (traits == nullptr || !traits->copies) return false;
  const Output source = node.operands()[0];
  return &source.node->parent() == &node.parent() && source.node->users(source.index).size() == 1 &&
         !source.node->is_result(source.index) && source.type().dtype == node.type().dtype &&
         !source.type().is_number && owns_memory(source);
}

}  // namespace

bool elide_copies(ir::Graph& graph) {
  return in_every_region(graph, [&](const ir::Region& region) {
    bool changed = false;
    const std::vector<Node*> nodes(region.nodes().begin(), region.nodes().end());
    for (Node* node : nodes) {
      if (!is_idle_copy(*node)) continue;
      graph.replace(node->output(), node->operands()[0]);
      graph.erase(*node);
      changed = true;
    }
    return changed;
  });
}

}  // namespace mycel::passes
