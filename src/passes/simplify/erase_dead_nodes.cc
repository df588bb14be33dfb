// SPDX-License-Identifier: Apache-2.0
#include "passes/passes.h"

namespace mycel::passes {
namespace {

bool erase_in(ir::Graph& graph, const ir::Region& region) {
  bool changed = false;
  std::vector<ir::Node*> nodes(region.nodes().begin(), region.nodes().end());
  // Backwards: what only a dead node reads is dead by the time it is looked at.
  for (auto it = nodes.rbegin(); it != nodes.rend(); ++it) {
    ir::Node& node = **it;
    for (const auto& inner : node.regions()) changed |= erase_in(graph, *inner);
    if (node.has_effects() || !node.is_unused()) continue;
    graph.erase(node);
    changed = true;
  }
  return changed;
}

}  // namespace

bool erase_dead_nodes(ir::Graph& graph) { return erase_in(graph, graph.body()); }

}  // namespace mycel::passes
