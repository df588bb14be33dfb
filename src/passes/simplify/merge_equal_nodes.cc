// SPDX-License-Identifier: Apache-2.0
#include <cstring>
#include <unordered_map>

#include "passes/memory_effects.h"
#include "passes/passes.h"
#include "passes/rewrite.h"

namespace mycel::passes {
namespace {

using ir::Node;
using ir::NodeKind;
using ir::Output;
using ir::Region;

// Larger constants are seldom equal, and dear to compare.
constexpr std::size_t kMostBytesCompared = 4096;

std::size_t mix(std::size_t seed, std::size_t value) {
  return seed ^ (value + 0x9e3779b97f4a7c15ULL + (seed << 6) + (seed >> 2));
}

std::size_t hash_of(const Node& node) {
  std::size_t hash =
      mix(static_cast<std::size_t>(node.kind()), reinterpret_cast<std::size_t>(node.definition()));
  for (const Output& operand : node.operands()) {
    hash = mix(hash, mix(reinterpret_cast<std::size_t>(operand.node), operand.index));
  }
  if (node.kind() != NodeKind::Constant) return hash;
  const std::string_view bytes(static_cast<const char*>(node.tensor().raw()),
                               node.tensor().bytes());
  return mix(hash, std::hash<std::string_view>()(bytes));
}

bool same_constant(const Node& a, const Node& b) {
  return a.type().dtype == b.type().dtype && a.type().shape == b.type().shape &&
         a.type().is_number == b.type().is_number &&
         std::memcmp(a.tensor().raw(), b.tensor().raw(), a.tensor().bytes()) == 0;
}

// Whether two nodes compute the same; what stands in their regions is compared place by place.
class Comparison {
 public:
  bool same(const Node& a, const Node& b) {
    if (a.kind() != b.kind() || a.definition() != b.definition() ||
        a.operands().size() != b.operands().size() || a.output_count() != b.output_count())
      return false;
    for (std::size_t i = 0; i < a.operands().size(); ++i) {
      if (!same_value(a.operands()[i], b.operands()[i])) return false;
    }
    if (a.kind() == NodeKind::Parameter) return a.tensor() == b.tensor();
    if (a.kind() == NodeKind::Constant) return is_small(a) && is_small(b) && same_constant(a, b);
    if (!(a.attributes() == b.attributes())) return false;
    for (std::size_t i = 0; i < a.regions().size(); ++i) {
      if (!same_region(a.region(i), b.region(i))) return false;
    }
    return true;
  }

  static bool is_small(const Node& constant) {
    return constant.tensor().bytes() <= kMostBytesCompared && constant.tensor().is_contiguous();
  }

 private:
  bool same_value(const Output& a, const Output& b) const {
    const auto found = twins_.find(a.node);
    return a.index == b.index && (found == twins_.end() ? a.node : found->second) == b.node;
  }

  bool same_region(const Region& a, const Region& b) {
    if (a.arguments().size() != b.arguments().size() || a.nodes().size() != b.nodes().size() ||
        a.results().size() != b.results().size())
      return false;
    for (std::size_t i = 0; i < a.arguments().size(); ++i)
      twins_[a.arguments()[i]] = b.arguments()[i];
    auto other = b.nodes().begin();
    for (const Node* node : a.nodes()) {
      if (!same(*node, **other)) return false;
      twins_[node] = *other++;
    }
    for (std::size_t i = 0; i < a.results().size(); ++i) {
      if (!same_value(a.results()[i], b.results()[i])) return false;
    }
    return true;
  }

  std::unordered_map<const Node*, const Node*> twins_;  // inside regions
};

// Nodes with effects are never equal to another: a random number drawn twice is two numbers.
bool is_candidate(const Node& node) {
  if (node.kind() == NodeKind::Constant) return Comparison::is_small(node) && !is_written(node);
  if (node.kind() == NodeKind::Argument || node.has_effects()) return false;
  // A value that is written in place later must stay a value of its own.
  return node.output_count() == 0 || !is_written(node) || node.kind() == NodeKind::Parameter;
}

class Merging {
 public:
  // What is known around a region holds in it, unless it writes what was read.
  Merging(ir::Graph& graph, const Merging* around) : graph_(graph), around_(around) {}

  bool run(const Region& region) {
    bool changed = false;
    const std::vector<Node*> nodes(region.nodes().begin(), region.nodes().end());
    for (Node* node : nodes) {
      const bool writes = writes_memory(*node);
      const bool again = writes && node->kind() == NodeKind::While;
      for (const auto& inner : node->regions())
        changed |= Merging(graph_, again ? nullptr : this).run(*inner);
      if (writes) {
        // What was read of a parameter before a write is not what would be read after it.
        seen_.clear();
        around_ = nullptr;
        continue;
      }
      if (is_candidate(*node)) changed |= merge(*node);
    }
    return changed;
  }

 private:
  Node* find(const Node& node, std::size_t hash) const {
    const auto [first, last] = seen_.equal_range(hash);
    for (auto it = first; it != last; ++it) {
      if (Comparison().same(*it->second, node)) return it->second;
    }
    return around_ == nullptr ? nullptr : around_->find(node, hash);
  }

  bool merge(Node& node) {
    const std::size_t hash = hash_of(node);
    Node* const twin = find(node, hash);
    if (twin == nullptr) {
      seen_.emplace(hash, &node);
      return false;
    }
    for (std::uint32_t i = 0; i < node.output_count(); ++i)
      graph_.replace(node.output(i), twin->output(i));
    graph_.erase(node);
    return true;
  }

  ir::Graph& graph_;
  const Merging* around_;
  std::unordered_multimap<std::size_t, Node*> seen_;
};

}  // namespace

bool merge_equal_nodes(ir::Graph& graph) { return Merging(graph, nullptr).run(graph.body()); }

}  // namespace mycel::passes
