// SPDX-License-Identifier: Apache-2.0
#include "passes/passes.h"

namespace mycel::passes {
namespace {

void keep_first(ir::Region& region, std::size_t count) {
  std::vector<ir::Output> results = region.results();
  results.resize(count);
  region.set_results(std::move(results));
}

// What turns, or sides of a decision, keep as the last output and nobody reads need not be kept.
bool keep_nothing(ir::Graph& graph, ir::Node& node) {
  const bool is_branch = node.kind() == ir::NodeKind::If;
  if ((!is_branch && !node.keeps_turns()) || node.output_count() == 0) return false;
  const auto last = static_cast<std::uint32_t>(node.output_count() - 1);
  if (!node.users(last).empty() || node.is_result(last)) return false;
  std::vector<op::TensorSpec> types;
  for (std::size_t i = 0; i < last; ++i) types.push_back(node.type(i));
  if (is_branch) keep_first(node.region(0), last);
  keep_first(node.region(1), last);
  graph.set_types(node, std::move(types));
  return true;
}

bool erase_in(ir::Graph& graph, const ir::Region& region) {
  bool changed = false;
  std::vector<ir::Node*> nodes(region.nodes().begin(), region.nodes().end());
  // Backwards: what only a dead node reads is dead by the time it is looked at.
  for (auto it = nodes.rbegin(); it != nodes.rend(); ++it) {
    ir::Node& node = **it;
    changed |= keep_nothing(graph, node);
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
