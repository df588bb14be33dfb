// SPDX-License-Identifier: Apache-2.0
#include "formats/program/loop_heads.h"

#include <algorithm>
#include <map>
#include <unordered_set>

namespace mycel::formats {

namespace {

using GraphSet = std::unordered_set<const Graph*>;

template <class Visit>
void for_used(const Graph& graph, const Visit& visit) {
  const auto see = [&](const Operand& operand) {
    if (operand.kind == Operand::Kind::GraphValue) visit(*operand.graph);
  };
  for (const auto& [slot, node] : graph.nodes) {
    see(node.callee);
    for (const Operand& operand : node.operands) see(operand);
  }
  for (const Operand& operand : graph.outputs) see(operand);
}

// Graphs that may be called, without those that only the loops around call again.
GraphSet reached(std::vector<const Graph*> waiting, std::span<const Graph* const> around) {
  GraphSet found;
  while (!waiting.empty()) {
    const Graph* graph = waiting.back();
    waiting.pop_back();
    if (std::ranges::find(around, graph) != around.end() || !found.insert(graph).second) continue;
    for_used(*graph, [&](const Graph& used) { waiting.push_back(&used); });
  }
  return found;
}

bool is_call_of(const Node* node, std::string_view name, std::string_view older) {
  return node != nullptr && node->function != nullptr &&
         (node->function->name() == name || node->function->name() == older);
}

bool is_partial(const Node* node) { return is_call_of(node, "Partial", "partial"); }

// The graphs between which the last call of a graph chooses; none: it does not.
std::vector<const Graph*> branches_of(const Graph& graph) {
  const std::size_t count = graph.steps.size();
  if (count < 2 || !graph.steps[count - 1].is_last) return {};
  const auto asked = graph.nodes.find(graph.steps[count - 2].slot);
  if (asked == graph.nodes.end() || !is_call_of(&asked->second, "Switch", "switch")) return {};
  const Node& choice = asked->second;
  const Operand& callee = graph.nodes.at(graph.steps[count - 1].slot).callee;
  if (!callee.is_slot_of(graph) || callee.index != choice.slot || choice.operands.size() < 3)
    return {};
  std::vector<const Graph*> found;
  for (std::size_t i = 1; i < 3; ++i) {
    const Operand* branch = &choice.operands[i];
    const Node* partial = graph.node_of(*branch);
    if (is_partial(partial) && !partial->operands.empty()) branch = &partial->operands[0];
    if (branch->kind != Operand::Kind::GraphValue) return {};
    found.push_back(branch->graph);
  }
  return found;
}

// ---- what changes -------------------------------------------------------------------------------

constexpr int kChanges = -1;  // the argument is not always the same one of the head's
constexpr int kUnknown = -2;  // yet
using Origins = std::map<std::pair<const Graph*, std::size_t>, int>;

// The argument of the head that an operand is.
int origin_of(const Operand* operand, const Origins& origins) {
  if (operand == nullptr || operand->kind != Operand::Kind::Slot ||
      operand->index >= operand->graph->input_count)
    return kChanges;
  const auto found = origins.find({operand->graph, operand->index});
  return found == origins.end() ? kUnknown : found->second;
}

// visit(graph, which argument, what is given), for all graphs that a graph mentions; null: not
// known.
template <class Visit>
void for_arguments(const Graph& graph, const Visit& visit) {
  const auto give = [&](const Operand& target, std::span<const Operand> given) {
    if (target.kind != Operand::Kind::GraphValue) return;
    for (std::size_t i = 0; i < target.graph->input_count; ++i)
      visit(*target.graph, i, i < given.size() ? &given[i] : nullptr);
  };
  for (const auto& [slot, node] : graph.nodes) {
    std::span<const Operand> others = node.operands;
    give(node.callee, node.operands);
    if (is_partial(&node) && !others.empty()) {
      others = others.subspan(1);
      give(node.operands[0], others);
    }
    for (const Operand& operand : others) give(operand, {});
  }
  for (const Operand& operand : graph.outputs) give(operand, {});
}

// Arguments of the head that are not passed on unchanged by every call of it from inside the loop.
std::vector<std::size_t> varying_of(const Graph& head, const GraphSet& inside) {
  // For every argument of a graph, the argument of the head that it always is.
  Origins origins;
  for (std::size_t i = 0; i < head.input_count; ++i) origins[{&head, i}] = static_cast<int>(i);
  std::set<std::size_t> back;
  for (bool has_changed = true; has_changed;) {
    has_changed = false;
    for (const Graph* graph : inside) {
      for_arguments(*graph, [&](const Graph& target, std::size_t place, const Operand* operand) {
        if (!inside.contains(&target)) return;
        const int origin = origin_of(operand, origins);
        if (&target == &head) {
          if (origin != static_cast<int>(place) && origin != kUnknown) back.insert(place);
          return;
        }
        if (origin == kUnknown) return;
        const auto [entry, is_new] = origins.try_emplace({&target, place}, origin);
        const int after = is_new || entry->second == origin ? origin : kChanges;
        has_changed |= is_new || entry->second != after;
        entry->second = after;
      });
    }
  }
  return {back.begin(), back.end()};
}

}  // namespace

std::optional<LoopHead> head_of(const Graph& graph, std::span<const Graph* const> around) {
  std::vector<const Graph*> used;
  for_used(graph, [&](const Graph& one) { used.push_back(&one); });
  const GraphSet inside = reached(used, around);
  if (!inside.contains(&graph)) return std::nullopt;
  LoopHead head{&graph, false, true, varying_of(graph, inside)};
  const std::vector<const Graph*> branches = branches_of(graph);
  if (branches.empty()) return head;
  const bool first = reached({branches[0]}, around).contains(&graph);
  if (first != reached({branches[1]}, around).contains(&graph)) {
    head.is_asking = true;
    head.turn_if = first;
  }
  return head;
}

}  // namespace mycel::formats
