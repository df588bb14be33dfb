// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "operator/written_input.h"
#include "passes/memory_effects.h"
#include "passes/passes.h"
#include "passes/rewrite.h"

namespace mycel::passes {
namespace {

using ir::Node;
using ir::NodeKind;
using ir::Output;

bool is_view(const Node& node) {
  return node.kind() == NodeKind::Operator && node.definition()->view != nullptr;
}

// Computes nothing but a number or two, and leaves everything else as it is.
bool is_number(const Node& node) {
  if (node.has_effects() || node.operands().empty()) return false;
  for (std::size_t i = 0; i < node.output_count(); ++i) {
    if (tensor::element_count(node.type(i).shape) > 1) return false;
  }
  return !node.definition()->dynamic_outputs;
}

// The parameter, argument or computed value whose memory a value is, or null.
const Node* memory_root(Output value) {
  while (value) {
    Node& node = *value.node;
    if (is_view(node)) {
      value = node.operands()[0];
      continue;
    }
    if (node.kind() != NodeKind::Operator || !node.definition()->has_effects) return &node;
    const int alias = op::written_input(*node.definition(), value.index);
    if (alias < 0) return &node;
    value = node.operands()[static_cast<std::size_t>(alias)];
  }
  return nullptr;
}

class Hoisting {
 public:
  Hoisting(ir::Graph& graph, const ir::Region& region) : graph_(graph), region_(region) {}

  bool run() {
    move_sources_up();
    number_nodes();
    bool changed = false;
    for (Node* node : order_) {
      if (node->kind() == NodeKind::Operator &&
          (node->definition()->has_effects || is_number(*node)))
        changed |= hoist(*node);
      touch(*node, *node);
    }
    return changed;
  }

 private:
  // Parameters and constants are known from the beginning.
  void move_sources_up() {
    Node* first = nullptr;
    const std::vector<Node*> nodes(region_.nodes().begin(), region_.nodes().end());
    for (Node* node : nodes) {
      const bool source = node->kind() == NodeKind::Parameter || node->kind() == NodeKind::Constant;
      if (!source && first == nullptr) first = node;
      if (source && first != nullptr) graph_.move_before(*node, *first);
    }
  }

  void number_nodes() {
    for (Node* node : region_.nodes()) order_.push_back(node);
    for (std::size_t i = 0; i < order_.size(); ++i) place_[order_[i]] = i;
  }

  // A node that was moved up stands before others that came earlier.
  void remember(const Node*& last, const Node& node) const {
    if (last == nullptr || place_.at(&node) >= place_.at(last)) last = &node;
  }

  // Remembers which memory the node reads or writes, as done by the node of this region
  // that it is part of.
  void touch(const Node& node, const Node& owner) {
    if (is_view(node)) return;  // whoever reads the view touches the memory
    for (std::size_t i = 0; i < node.operands().size(); ++i) {
      const Node* root = memory_root(node.operands()[i]);
      if (root == nullptr) continue;
      remember(last_touch_[root], owner);
      if (may_write(node, i)) remember(last_write_[root], owner);
    }
    if (node.kind() == NodeKind::HostCall) last_host_call_ = &owner;
    for (const auto& inner : node.regions()) {
      for (const Node* part : inner->nodes()) touch(*part, owner);
    }
  }

  // The latest node that has to stay before this one.
  const Node* latest_before(const Node& update) const {
    const Node* latest = last_host_call_;
    const auto later = [&](const Node* node) {
      const auto at = place_.find(node);
      if (at == place_.end()) return;  // an argument
      if (latest == nullptr || at->second > place_.at(latest)) latest = node;
    };
    for (std::size_t i = 0; i < update.operands().size(); ++i) {
      const Output operand = update.operands()[i];
      if (!operand) continue;
      if (&operand.node->parent() == &region_) later(operand.node);
      const Node* root = memory_root(operand);
      if (root == nullptr) continue;
      const auto& constraint = may_write(update, i) ? last_touch_ : last_write_;
      const auto found = constraint.find(root);
      if (found != constraint.end()) later(found->second);
    }
    return latest;
  }

  bool hoist(Node& update) {
    const Node* latest = latest_before(update);
    if (latest == nullptr) return false;
    // The first node after it that is still where it was; updates moved here stand before that one.
    std::size_t target = place_.at(latest) + 1;
    while (moved_.contains(order_[target])) ++target;
    Node* next = order_[target];
    if (next == &update) return false;
    graph_.move_before(update, *next);
    moved_.insert(&update);
    place_[&update] = place_.at(latest);  // as early as what it waited for
    return true;
  }

  ir::Graph& graph_;
  const ir::Region& region_;
  std::vector<Node*> order_;
  std::unordered_map<const Node*, std::size_t> place_;
  std::unordered_map<const Node*, const Node*> last_touch_, last_write_;
  std::unordered_set<const Node*> moved_;
  const Node* last_host_call_ = nullptr;
};

}  // namespace

bool hoist_updates(ir::Graph& graph) {
  return in_every_region(graph,
                         [&](const ir::Region& region) { return Hoisting(graph, region).run(); });
}

}  // namespace mycel::passes
