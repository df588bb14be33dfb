// SPDX-License-Identifier: Apache-2.0
#include "passes/passes.h"

namespace mycel::passes {
namespace {

// What turns keep and nobody reads need not be kept.
bool keep_nothing(ir::Graph& graph, ir::Node& loop) {
  const auto log = static_cast<std::uint32_t>(loop.operands().size());
  if (!loop.keeps_turns() || !loop.users(log).empty() || loop.is_result(log)) return false;
  std::vector<op::TensorSpec> types;
  for (std::size_t i = 0; i < log; ++i) types.push_back(loop.type(i));
  std::vector<ir::Output> results = loop.region(1).results();
  results.resize(log);
  loop.region(1).set_results(std::move(results));
  graph.set_types(loop, std::move(types));
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
