// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <iterator>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <unordered_map>
#include <unordered_set>

#include "ir/constant_number.h"
#include "ir/region_draft.h"
#include "operator/region_compiler.h"
#include "passes/memory_effects.h"
#include "passes/passes.h"
#include "passes/rewrite.h"

namespace mycel::passes {
namespace {

using ir::Node;
using ir::NodeKind;
using ir::Output;
using ir::Region;
using ir::RegionDraft;

// Of a value that many read, so many are looked at for what could be computed with it.
constexpr std::size_t kMostReaders = 16;
// In the name of what is fused.
constexpr std::size_t kMostNames = 6;

// Nodes that a device will compute in one go, at the place where `anchor`, one of them, stands.
struct Group {
  std::vector<Node*> members;  // in their order
  Node* anchor = nullptr;
};

bool is_view(const Node& node) {
  return node.kind() == NodeKind::Operator && node.definition()->view != nullptr &&
         ir::region_role(node) == ir::RegionRole::None;
}

// Puts nodes of one region together, two groups at a time. At any time groups and the nodes that
// belong to none have places in one order in which everything can be computed; a group that would
// need two places, because others read some of it before the rest can be computed, is not made.
class Grouping {
 public:
  Grouping(const Region& region, const op::RegionLimits& limits)
      : region_(region), limits_(limits), writes_(region) {
    for (Node* node : region.nodes()) place_[node] = static_cast<int>(place_.size());
  }

  std::vector<Group> run() {
    for (Node* node : region_.nodes()) {
      if (ir::region_role(*node) == ir::RegionRole::None) continue;
      group_of_[node] = std::make_shared<Group>(Group{{node}, node});
      if (!fits(RegionDraft::of(std::span(&node, 1)))) {
        group_of_.erase(node);
        continue;
      }
      for (const Output& operand : node->operands()) join_with_maker(*node, operand);
      for (const Output& operand : node->operands()) join_with_readers(*node, operand);
    }
    std::vector<Group> found;
    for (Node* node : region_.nodes()) {
      const auto group = group_of_.find(node);
      if (group != group_of_.end() && group->second->anchor == node &&
          group->second->members.size() > 1)
        found.push_back(*group->second);
    }
    return found;
  }

 private:
  bool fits(const std::optional<RegionDraft>& draft) const {
    return draft && op::excess(draft->program(), limits_).empty();
  }

  void join_with_maker(Node& node, const Output& operand) {
    join(node, *ir::seen_through_views(operand).source.node);
  }

  // Whoever reads the same is computed while it is at hand.
  void join_with_readers(Node& node, const Output& operand) {
    const Output source = ir::seen_through_views(operand).source;
    if (tensor::element_count(source.type().shape) < 2) return;
    const std::vector<Node*>& readers = source.node->users(source.index);
    for (std::size_t i = 0; i < std::min(readers.size(), kMostReaders); ++i)
      join(node, *readers[i]);
  }

  void join(const Node& node, const Node& other) {
    const auto a = group_of_.find(&other);
    const auto b = group_of_.find(&node);
    if (a == group_of_.end() || a->second == b->second) return;
    std::shared_ptr<Group> joint = joined(*a->second, *b->second);
    if (joint == nullptr) return;
    for (const Node* member : joint->members) group_of_[member] = joint;
  }

  // Null: they cannot be one.
  std::shared_ptr<Group> joined(const Group& a, const Group& b) {
    if (a.members.size() + b.members.size() > limits_.steps) return nullptr;
    auto joint = std::make_shared<Group>();
    std::ranges::merge(
        a.members, b.members, std::back_inserter(joint->members), {},
        [&](const Node* node) { return place_.at(node); },
        [&](const Node* node) { return place_.at(node); });
    const std::optional<RegionDraft> draft = RegionDraft::of(joint->members);
    if (!fits(draft)) return nullptr;
    inside_ = {joint->members.begin(), joint->members.end()};
    const std::optional<int> first_reader = find_readers(*joint);
    if (!first_reader) return nullptr;
    for (Node* anchor : {b.anchor, a.anchor}) {
      const Node* other = anchor == a.anchor ? b.anchor : a.anchor;
      // What a backward pass alone needs would live through all of the forward pass.
      if (anchor->phase() != other->phase() && place_.at(anchor) < place_.at(other)) continue;
      joint->anchor = anchor;
      if (place_.at(anchor) < *first_reader && can_stand(*joint, *draft)) return joint;
    }
    return nullptr;
  }

  // Whether everything the group reads is there, and unchanged, where the anchor stands.
  bool can_stand(const Group& group, const RegionDraft& draft) const {
    const int place = place_.at(group.anchor);
    return std::ranges::all_of(draft.arguments(),
                               [&](const Output& read) { return known_at(read) < place; }) &&
           std::ranges::all_of(group.members, [&](const Node* member) {
             return writes_.can_sink(*member, *group.anchor);
           });
  }

  int place_of(const Node& node) const {
    const auto group = group_of_.find(&node);
    return place_.at(group == group_of_.end() ? &node : group->second->anchor);
  }

  // From which place on the value is known.
  int known_at(const Output& value) const {
    constexpr int kNever = std::numeric_limits<int>::max();
    if (inside_.contains(value.node)) return kNever;  // a view of it that is more than a step
    if (!place_.contains(value.node)) return -1;      // of a region around, or an argument
    const int own = place_of(*value.node);
    return is_view(*value.node) ? std::max(own, known_at(value.node->operands()[0])) : own;
  }

  // The first place outside where a value of the group is read; nothing: it has too many results.
  std::optional<int> find_readers(const Group& group) const {
    int first = std::numeric_limits<int>::max();
    std::size_t results = 0;
    for (Node* member : group.members) {
      bool is_read = false;
      note_readers(member->output(), is_read, first);
      results += is_read ? 1 : 0;
    }
    return results > limits_.results ? std::nullopt : std::optional(first);
  }

 private:
  // Views can stand anywhere behind what they show: their readers count, not they.
  void note_readers(const Output& value, bool& is_read, int& first) const {
    for (const Region* region : value.node->returned_by(value.index)) {
      is_read = true;
      if (const Node* owner = owner_here(*region)) first = std::min(first, place_of(*owner));
    }
    for (Node* user : value.node->users(value.index)) {
      if (inside_.contains(user)) continue;
      if (&user->parent() == &region_ && is_view(*user)) {
        for (std::uint32_t i = 0; i < user->output_count(); ++i)
          note_readers(user->output(i), is_read, first);
        continue;
      }
      is_read = true;
      const Node* here = &user->parent() == &region_ ? user : owner_here(user->parent());
      first = std::min(first, place_of(*here));
    }
  }

 public:
  // Those whose values others read.
  std::vector<Node*> results_of(const Group& group) {
    inside_ = {group.members.begin(), group.members.end()};
    std::vector<Node*> results;
    for (Node* member : group.members) {
      bool is_read = false;
      int first = 0;
      note_readers(member->output(), is_read, first);
      if (is_read) results.push_back(member);
    }
    return results;
  }

  bool stood_before(const Node& node, const Node& other) const {
    return place_.at(&node) < place_.at(&other);
  }

 private:
  // The node of this region that the other region is part of; null: it is this region.
  const Node* owner_here(const Region& region) const {
    const Region* at = &region;
    const Node* owner = nullptr;
    while (at != &region_) {
      owner = at->owner();
      at = &owner->parent();
    }
    return owner;
  }

  const Region& region_;
  const op::RegionLimits& limits_;
  MemoryEffects writes_;
  std::unordered_map<const Node*, int> place_;
  std::unordered_map<const Node*, std::shared_ptr<Group>> group_of_;
  std::unordered_set<const Node*> inside_;  // of the group that is looked at
};

// Writes one group as a node.
class Fusing {
 public:
  Fusing(ir::Graph& graph, const Grouping& grouping, const Group& group, std::vector<Node*> results)
      : graph_(graph), grouping_(grouping), group_(group), results_(std::move(results)) {}

  void run() {
    const std::vector<Output> arguments = RegionDraft::of(group_.members)->arguments();
    Node& fused = graph_.add_fused(group_.anchor->parent(), name(), arguments, group_.anchor);
    fill(fused, arguments);
    for (std::uint32_t i = 0; i < results_.size(); ++i) {
      graph_.replace(results_[i]->output(), fused.output(i));
      move_views_behind(fused.output(i));
    }
    for (auto member = group_.members.rbegin(); member != group_.members.rend(); ++member) {
      erase_views_of((*member)->output());
      graph_.erase(**member);
    }
  }

 private:
  std::string name() const {
    std::string names;
    for (std::size_t i = 0; i < std::min(group_.members.size(), kMostNames); ++i)
      names += platform::join(i == 0 ? "" : " ", group_.members[i]->definition()->name);
    return group_.members.size() > kMostNames ? names + " ..." : names;
  }

  void fill(Node& fused, const std::vector<Output>& arguments) {
    Region& inner = fused.region(0);
    for (std::size_t i = 0; i < arguments.size(); ++i)
      copies_[{arguments[i].node, arguments[i].index}] = inner.arguments()[i]->output();
    ir::Origin origin = group_.members.front()->origin();
    for (Node* member : group_.members) {
      copies_[{member, 0}] = copy(*member, inner).output();
      origin = op::joined(origin, member->origin());
    }
    fused.set_origin(std::move(origin));
    std::vector<Output> results;
    std::vector<op::TensorSpec> types;
    for (Node* result : results_) {
      results.push_back(copies_.at({result, 0}));
      types.push_back(result->type());
    }
    inner.set_results(std::move(results));
    graph_.set_types(fused, std::move(types));
  }

  Node& copy(const Node& node, Region& inner) {
    std::vector<Output> operands;
    for (const Output& operand : node.operands()) operands.push_back(copy_of(operand, inner));
    Node& twin = graph_.add_operator(inner, *node.definition(), std::move(operands),
                                     node.attributes(), {node.type()});
    twin.set_origin(node.origin());
    if (node.facts().is_news()) twin.set_facts(0, node.facts());
    return twin;
  }

  // Numbers and views are written anew where they are read.
  Output copy_of(const Output& value, Region& inner) {
    const auto found = copies_.find({value.node, value.index});
    if (found != copies_.end()) return found->second;
    Node& twin = ir::constant_number(value) ? graph_.add_constant(inner, value.node->tensor())
                                            : copy(*value.node, inner);
    return copies_[{value.node, value.index}] = twin.output();
  }

  static bool is_view_here(const Node& node, const Region& region) {
    return &node.parent() == &region && is_view(node);
  }

  // Those that stood before the place where the value is computed now.
  void move_views_behind(const Output& value) {
    const std::vector<Node*> users = value.node->users(value.index);
    for (Node* user : users) {
      if (!is_view_here(*user, value.node->parent())) continue;
      if (grouping_.stood_before(*user, *group_.anchor)) graph_.move_before(*user, *group_.anchor);
      for (std::uint32_t i = 0; i < user->output_count(); ++i) move_views_behind(user->output(i));
    }
  }

  void erase_views_of(const Output& value) {
    const std::vector<Node*> users = value.node->users(value.index);
    for (Node* user : users) {
      for (std::uint32_t i = 0; i < user->output_count(); ++i) erase_views_of(user->output(i));
      if (user->is_unused()) graph_.erase(*user);
    }
  }

  ir::Graph& graph_;
  const Grouping& grouping_;
  const Group& group_;
  std::vector<Node*> results_;
  std::map<std::pair<const Node*, std::uint32_t>, Output> copies_;
};

bool fuse_in(ir::Graph& graph, const Region& region, const op::RegionLimits& limits) {
  bool changed = false;
  for (const Node* node : region.nodes()) {
    if (node->kind() == NodeKind::Fused) continue;
    for (const auto& inner : node->regions()) changed |= fuse_in(graph, *inner, limits);
  }
  Grouping grouping(region, limits);
  const std::vector<Group> groups = grouping.run();
  std::vector<std::vector<Node*>> results;
  for (const Group& group : groups) results.push_back(grouping.results_of(group));
  for (std::size_t i = 0; i < groups.size(); ++i) {
    if (results[i].empty()) continue;  // nobody reads it
    Fusing(graph, grouping, groups[i], std::move(results[i])).run();
    changed = true;
  }
  return changed;
}

}  // namespace

bool fuse_regions(ir::Graph& graph) {
  const op::RegionCompiler* compiler = op::region_compiler(graph.device());
  if (compiler == nullptr) return false;
  const op::RegionLimits limits = compiler->limits();
  return limits.steps > 1 && fuse_in(graph, graph.body(), limits);
}

}  // namespace mycel::passes
