// SPDX-License-Identifier: Apache-2.0
#include <unordered_map>

#include "passes/memory_effects.h"
#include "passes/passes.h"

namespace mycel::passes {
namespace {

using ir::Node;
using ir::NodeKind;

std::size_t mix(std::size_t seed, std::size_t value) {
  return seed ^ (value + 0x9e3779b97f4a7c15ULL + (seed << 6) + (seed >> 2));
}

std::size_t hash_of(const Node& node) {
  std::size_t hash =
      mix(static_cast<std::size_t>(node.kind()), reinterpret_cast<std::size_t>(node.definition()));
  for (const ir::Output& operand : node.operands()) {
    hash = mix(hash, mix(reinterpret_cast<std::size_t>(operand.node), operand.index));
  }
  return hash;
}

// Same operator, operands and attributes. Nodes with effects are never equal to another: a random
// number drawn twice is two numbers.
bool same_computation(const Node& a, const Node& b) {
  if (a.kind() != b.kind() || a.definition() != b.definition() || a.operands() != b.operands())
    return false;
  if (a.kind() == NodeKind::Parameter) return a.tensor() == b.tensor();
  return a.attributes() == b.attributes();
}

bool is_candidate(const Node& node) {
  const bool plain = node.kind() == NodeKind::Operator || node.kind() == NodeKind::Parameter;
  // A value that is written in place later must stay a value of its own.
  return plain && !node.has_effects() &&
         (node.output_count() == 0 || !is_written(node) || node.kind() == NodeKind::Parameter);
}

bool merge_in(ir::Graph& graph, const ir::Region& region) {
  bool changed = false;
  std::unordered_multimap<std::size_t, Node*> seen;
  const std::vector<Node*> nodes(region.nodes().begin(), region.nodes().end());
  for (Node* node : nodes) {
    for (const auto& inner : node->regions()) changed |= merge_in(graph, *inner);
    if (writes_memory(*node)) {
      // What was read of a parameter before a write is not what would be read after it.
      seen.clear();
      continue;
    }
    if (!is_candidate(*node)) continue;
    const auto [first, last] = seen.equal_range(hash_of(*node));
    Node* twin = nullptr;
    for (auto it = first; it != last && twin == nullptr; ++it) {
      if (same_computation(*it->second, *node)) twin = it->second;
    }
    if (twin == nullptr) {
      seen.emplace(hash_of(*node), node);
      continue;
    }
    for (std::uint32_t i = 0; i < node->output_count(); ++i)
      graph.replace(node->output(i), twin->output(i));
    graph.erase(*node);
    changed = true;
  }
  return changed;
}

}  // namespace

bool merge_equal_nodes(ir::Graph& graph) { return merge_in(graph, graph.body()); }

}  // namespace mycel::passes
