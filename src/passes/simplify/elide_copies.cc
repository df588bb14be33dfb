// SPDX-License-Identifier: Apache-2.0
#include "passes/memory_effects.h"
#include "passes/passes.h"
#include "passes/rewrite.h"

namespace mycel::passes {
namespace {

using ir::Node;
using ir::Output;

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
