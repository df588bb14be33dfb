// SPDX-License-Identifier: Apache-2.0
#include <cstring>
#include <unordered_map>

#include "operator/written_input.h"
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

// A write into a copy that was made for it computes a value like any other; the copy. Null: no such
// write.
Node* written_copy(const Node& node) {
  if (node.kind() != NodeKind::Operator || node.definition()->is_random ||
      node.output_count() != 1 || is_written(node))
    return nullptr;
  const int written = op::written_input(*node.definition(), 0);
  if (written < 0) return nullptr;
  for (std::size_t i = 0; i < node.operands().size(); ++i) {
    if (static_cast<int>(i) != written && may_write(node, i)) return nullptr;
  }
  Node* const copy = node.operands()[static_cast<std::size_t>(written)].node;
  const op::Traits* const traits = traits_of(*copy);
  const bool is_own = traits != nullptr && traits->copies && copy->users(0).size() == 1 &&
                      !copy->is_result() && !is_parameter_memory(copy->operands()[0]);
  return is_own ? copy : nullptr;
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
      // A loop that writes reads other values in its next turn; a fused region reads no others.
      const bool alone =
          (writes && node->kind() == NodeKind::While) || node->kind() == NodeKind::Fused;
      for (const auto& inner : node->regions())
        changed |= Merging(graph_, alone ? nullptr : this).run(*inner);
      if (Node* const copy = writes ? written_copy(*node) : nullptr) {
        changed |= merge_write(*node, *copy);
        continue;
      }
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

  // Writes of the same into copies of the same, as if it were the original that is written into.
  bool merge_write(Node& node, Node& copy) {
    const auto written = static_cast<std::size_t>(op::written_input(*node.definition(), 0));
    const Output source = copy.operands()[0];
    node.set_operand(written, source);
    const std::size_t hash = hash_of(node);
    Node* const twin = find_write(node, written, hash);
    node.set_operand(written, copy.output());
    if (twin == nullptr) {
      seen_.emplace(hash, &node);
      return false;
    }
    graph_.replace(node.output(), twin->output());
    graph_.erase(node);
    graph_.erase(copy);
    return true;
  }

  Node* find_write(Node& node, std::size_t written, std::size_t hash) const {
    const auto [first, last] = seen_.equal_range(hash);
    for (auto it = first; it != last; ++it) {
      Node* const copy = written_copy(*it->second);
      if (copy == nullptr || it->second->definition() != node.definition()) continue;
      it->second->set_operand(written, copy->operands()[0]);
      const bool is_same = Comparison().same(*it->second, node);
      it->second->set_operand(written, copy->output());
      if (is_same) return it->second;
    }
    return around_ == nullptr ? nullptr : around_->find_write(node, written, hash);
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
