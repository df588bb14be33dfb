// SPDX-License-Identifier: Apache-2.0
#include "passes/memory_effects.h"
#include "passes/passes.h"
#include "passes/rewrite.h"

namespace mycel::passes {
namespace {

using ir::Node;
using ir::NodeKind;
using ir::Output;

bool is_inside(const Node& node, const Node& owner) {
  const ir::Region* region = &node.parent();
  while (region->owner() != nullptr && region->owner() != &owner)
    region = &region->owner()->parent();
  return region->owner() == &owner;
}

// The value from outside that both sides give; nothing: they give others.
Output common_value(const Node& node, std::size_t i) {
  const Output value = node.region(0).results()[i];
  if (value != node.region(1).results()[i] || is_inside(*value.node, node)) return {};
  const bool is_own = owns_memory(value) || !is_parameter_memory(value);
  const bool may_change = !is_own || is_written(*value.node);
  return may_change || value.type().is_number ? Output{} : value;
}

void drop_result(ir::Region& region, std::size_t i) {
  std::vector<Output> results = region.results();
  results.erase(results.begin() + static_cast<std::ptrdiff_t>(i));
  region.set_results(std::move(results));
}

void drop_output(ir::Graph& graph, Node& node, std::uint32_t i) {
  std::vector<op::TensorSpec> types;
  for (std::uint32_t k = 0; k < node.output_count(); ++k) {
    if (k != i) types.push_back(node.type(k));
  }
  drop_result(node.region(0), i);
  drop_result(node.region(1), i);
  for (std::uint32_t k = i + 1; k < node.output_count(); ++k)
    graph.replace(node.output(k), node.output(k - 1));
  graph.set_types(node, std::move(types));
}

bool join(ir::Graph& graph, Node& node) {
  bool changed = false;
  for (auto i = static_cast<std::uint32_t>(node.output_count()); i-- > 0;) {
    if (const Output value = common_value(node, i)) graph.replace(node.output(i), value);
    if (!node.users(i).empty() || node.is_result(i)) continue;
    drop_output(graph, node, i);
    changed = true;
  }
  return changed;
}

}  // namespace

bool join_branches(ir::Graph& graph) {
  if (!graph.has_inner_regions()) return false;
  return in_every_region(graph, [&](const ir::Region& region) {
    bool changed = false;
    for (Node* node : region.nodes()) {
      if (node->kind() == NodeKind::If) changed |= join(graph, *node);
    }
    return changed;
  });
}

}  // namespace mycel::passes
