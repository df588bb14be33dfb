// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <deque>
#include <iterator>
#include <unordered_map>
#include <unordered_set>

#include "formats/program/graph.h"
#include "platform/error/error.h"

namespace mycel::formats {

namespace {

using platform::ErrorKind;
using GraphSet = std::set<const Graph*>;

constexpr std::size_t kDeepest = 200;  // graphs around a graph

template <class Visit>
void for_operands(const Node& node, const Visit& visit) {
  visit(node.callee);
  for (const Operand& operand : node.operands) visit(operand);
}

template <class Visit>
void for_all_operands(const Graph& graph, const Visit& visit) {
  for (const auto& [slot, node] : graph.nodes) for_operands(node, visit);
  for (const Operand& operand : graph.outputs) visit(operand);
}

void find_free_slots(std::span<const std::unique_ptr<Graph>> graphs) {
  std::unordered_map<const Graph*, std::vector<Graph*>> users;
  std::deque<Graph*> waiting;
  for (const auto& graph : graphs) {
    for_all_operands(*graph, [&](const Operand& operand) {
      if (operand.graph == nullptr || operand.graph == graph.get()) return;
      if (operand.kind == Operand::Kind::Slot) {
        graph->free.insert({operand.graph, operand.index});
      } else {
        users[operand.graph].push_back(graph.get());
      }
    });
    waiting.push_back(graph.get());
  }
  while (!waiting.empty()) {
    const Graph& graph = *waiting.front();
    waiting.pop_front();
    for (Graph* user : users[&graph]) {
      const std::size_t before = user->free.size();
      for (const SlotRef& slot : graph.free)
        if (slot.graph != user) user->free.insert(slot);
      if (user->free.size() > before) waiting.push_back(user);
    }
  }
}

// Graphs around each: those whose values it needs, and those around them.
std::unordered_map<const Graph*, GraphSet> surroundings(
    std::span<const std::unique_ptr<Graph>> graphs) {
  std::unordered_map<const Graph*, GraphSet> around;
  for (const auto& graph : graphs)
    for (const SlotRef& slot : graph->free) around[graph.get()].insert(slot.graph);
  for (bool has_changed = true; has_changed;) {
    has_changed = false;
    for (const auto& graph : graphs) {
      GraphSet& mine = around[graph.get()];
      const GraphSet owners = mine;
      for (const Graph* owner : owners) mine.insert(around[owner].begin(), around[owner].end());
      platform::require(mine.size() <= kDeepest, ErrorKind::Runtime, "The graph '", graph->name,
                        "' lies in more than ", kDeepest, " others.");
      has_changed |= mine.size() > owners.size();
    }
  }
  return around;
}

// The parent of a graph is the innermost of those whose values it needs.
void find_parents(std::span<const std::unique_ptr<Graph>> graphs) {
  auto around = surroundings(graphs);
  for (const auto& graph : graphs) {
    const GraphSet& mine = around[graph.get()];
    platform::require(!mine.contains(graph.get()), ErrorKind::Runtime, "The graph '", graph->name,
                      "' lies in itself.");
    for (const SlotRef& slot : graph->free) {
      if (graph->parent == nullptr || around[slot.graph].size() > around[graph->parent].size())
        graph->parent = slot.graph;
    }
    for (const SlotRef& slot : graph->free) {
      platform::require(slot.graph == graph->parent || around[graph->parent].contains(slot.graph),
                        ErrorKind::Runtime, "The graph '", graph->name, "' uses names of '",
                        slot.graph->name, "' and '", graph->parent->name,
                        "', which do not lie in each other.");
    }
  }
}

// Nodes of a graph, each after those it needs.
class Order {
 public:
  explicit Order(const Graph& graph) : graph_(graph) {}

  struct Needs {
    std::vector<const Node*> direct, through;  // as arguments; by functions among the arguments
  };
  Needs needs(const Node& node) const {
    Needs found;
    for_operands(node, [&](const Operand& operand) {
      if (const Node* needed = graph_.node_of(operand)) found.direct.push_back(needed);
      if (operand.kind == Operand::Kind::GraphValue) add_used_by(*operand.graph, found.through);
    });
    return found;
  }

  void visit_outputs() {
    for (const Operand& operand : graph_.outputs) {
      std::vector<const Node*> found;
      if (const Node* node = graph_.node_of(operand)) found.push_back(node);
      if (operand.kind == Operand::Kind::GraphValue) add_used_by(*operand.graph, found);
      for (const Node* node : found) visit(*node);
    }
  }
  const std::vector<const Node*>& nodes() const { return nodes_; }

 private:
  void add_used_by(const Graph& other, std::vector<const Node*>& found) const {
    for (const SlotRef& slot : other.free) {
      if (slot.graph != &graph_) continue;
      const auto node = graph_.nodes.find(slot.index);
      if (node != graph_.nodes.end()) found.push_back(&node->second);
    }
  }

  struct Visit {
    const Node* node;
    std::vector<std::pair<const Node*, bool>> following;  // and whether it is an argument
    std::size_t next = 0;
  };
  Visit begin(const Node& node) {
    is_done_[&node] = false;
    Visit visit{&node, {}, 0};
    const Needs found = needs(node);
    for (const Node* one : found.direct) visit.following.emplace_back(one, true);
    for (const Node* one : found.through) visit.following.emplace_back(one, false);
    return visit;
  }

  void visit(const Node& first) {
    if (is_done_.contains(&first)) return;
    std::vector<Visit> stack;
    stack.push_back(begin(first));
    while (!stack.empty()) {
      Visit& top = stack.back();
      if (top.next == top.following.size()) {
        is_done_[top.node] = true;
        nodes_.push_back(top.node);
        stack.pop_back();
        continue;
      }
      const auto [needed, is_direct] = top.following[top.next++];
      const auto state = is_done_.find(needed);
      if (state == is_done_.end()) {
        stack.push_back(begin(*needed));
      } else {
        platform::require(state->second || !is_direct, ErrorKind::Runtime, "The node '",
                          needed->name, "' of the graph '", graph_.name, "' needs itself.");
      }
    }
  }

  const Graph& graph_;
  std::unordered_map<const Node*, bool> is_done_;  // false: being visited
  std::vector<const Node*> nodes_;
};

struct LastCall {
  const Node* node = nullptr;
  std::unordered_set<const Node*> passing;  // what only passes its result on
};

// The call of a function whose result is the graph's.
LastCall last_call(const Graph& graph, const Order& order) {
  const Node* node = graph.outputs.size() == 1 ? graph.node_of(graph.outputs[0]) : nullptr;
  while (node != nullptr && node->is_passing() && node->function->is_depend() &&
         !node->operands.empty())
    node = graph.node_of(node->operands[0]);
  if (node == nullptr || node->callee.kind == Operand::Kind::Constant ||
      node->callee.kind == Operand::Kind::Parameter)
    return {};
  LastCall found{node, {node}};
  for (const Node* later : order.nodes()) {
    const auto [direct, through] = order.needs(*later);
    const auto is_passed = [&](const Node* one) { return found.passing.contains(one); };
    if (later == node ||
        !(std::ranges::any_of(direct, is_passed) || std::ranges::any_of(through, is_passed)))
      continue;
    if (!later->is_passing()) return {};
    found.passing.insert(later);
  }
  found.passing.erase(node);
  return found;
}

// How many frames up the frame of a graph around is.
int distance(const Graph& graph, const Graph& outer) {
  int steps = 0;
  for (const Graph* around = &graph; around != &outer; ++steps) {
    around = around->parent;
    platform::require(around != nullptr, ErrorKind::Runtime, "The graph '", graph.name,
                      "' uses names of '", outer.name, "', in which it does not lie.");
  }
  return steps;
}

Source source_of(const Operand& operand, const Graph& graph) {
  switch (operand.kind) {
    case Operand::Kind::Constant: return {Source::Kind::Constant, operand.value, 0, 0, nullptr};
    case Operand::Kind::Parameter: return {Source::Kind::Parameter, {}, operand.index, 0, nullptr};
    case Operand::Kind::GraphValue: {
      const Graph* parent = operand.graph->parent;
      return {Source::Kind::Closure,
              {},
              0,
              parent == nullptr ? -1 : distance(graph, *parent),
              operand.graph};
    }
    case Operand::Kind::Slot: break;
  }
  if (operand.graph == &graph) return {Source::Kind::Local, {}, operand.index, 0, nullptr};
  return {Source::Kind::Outer, {}, operand.index, distance(graph, *operand.graph), nullptr};
}

void write_steps(Graph& graph) {
  Order order(graph);
  order.visit_outputs();
  const LastCall last = last_call(graph, order);
  std::vector<const Node*> nodes;
  for (const Node* node : order.nodes())
    if (node != last.node && !last.passing.contains(node)) nodes.push_back(node);
  std::set<std::size_t> kept(graph.kept_by_inner.begin(), graph.kept_by_inner.end());
  if (last.node != nullptr) {
    nodes.push_back(last.node);
  } else {
    for (const Operand& operand : graph.outputs) {
      graph.result.push_back(source_of(operand, graph));
      if (operand.is_slot_of(graph)) kept.insert(operand.index);
    }
  }
  std::ranges::reverse(nodes);
  for (const Node* node : nodes) {
    Step step{node->name, source_of(node->callee, graph), {}, node->slot, {}, node == last.node};
    std::set<std::size_t> mine;
    for_operands(*node, [&](const Operand& operand) {
      if (operand.is_slot_of(graph)) mine.insert(operand.index);
    });
    for (const Operand& operand : node->operands)
      step.operands.push_back(source_of(operand, graph));
    std::ranges::set_difference(mine, kept, std::back_inserter(step.released));
    kept.insert(mine.begin(), mine.end());
    graph.steps.push_back(std::move(step));
  }
  std::ranges::reverse(graph.steps);
}

}  // namespace

void arrange(std::span<const std::unique_ptr<Graph>> graphs) {
  find_free_slots(graphs);
  find_parents(graphs);
  if (const Graph& first = *graphs.front(); first.parent != nullptr)
    platform::fail(ErrorKind::Runtime, "The graph '", first.name,
                   "', with which the program begins, needs names of '", first.parent->name,
                   "', in which it does not lie.");
  std::unordered_map<const Graph*, std::set<std::size_t>> captured;
  for (const auto& graph : graphs)
    for (const SlotRef& slot : graph->free) captured[slot.graph].insert(slot.index);
  for (const auto& graph : graphs) {
    const std::set<std::size_t>& mine = captured[graph.get()];
    graph->kept_by_inner.assign(mine.begin(), mine.end());
    write_steps(*graph);
  }
}

}  // namespace mycel::formats
