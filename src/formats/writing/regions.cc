// SPDX-License-Identifier: Apache-2.0
#include "formats/writing/regions.h"

#include <algorithm>

#include "operator/registry.h"
#include "platform/error/error.h"

namespace mycel::formats::writing {

namespace {

using platform::ErrorKind;

constexpr std::size_t kNoHome = static_cast<std::size_t>(-1);
constexpr std::string_view kChoice = "where";

NodeKind kind_of(const ir::Node& node) {
  switch (node.kind()) {
    case ir::NodeKind::Argument: return NodeKind::Argument;
    case ir::NodeKind::Constant: return NodeKind::Constant;
    case ir::NodeKind::Parameter: return NodeKind::Parameter;
    case ir::NodeKind::If:
    case ir::NodeKind::While: return NodeKind::Loop;
    default: return NodeKind::Operator;
  }
}

bool is_choice(const ir::Node& node) {
  return node.kind() == ir::NodeKind::Operator && node.definition()->name == kChoice;
}

template <class Item>
bool holds(const std::vector<Item>& items, const Item& item) {
  return std::find(items.begin(), items.end(), item) != items.end();
}

void add_new(std::vector<Value>& values, const std::vector<Value>& more) {
  for (const Value& value : more)
    if (!holds(values, value)) values.push_back(value);
}

std::vector<Value> outputs_of(Node& node) {
  std::vector<Value> outputs;
  for (std::uint32_t i = 0; i < node.types.size(); ++i) outputs.push_back({&node, i});
  return outputs;
}

}  // namespace

Regions::Regions(Network& network, const ir::Graph& graph, std::size_t result_count)
    : network_(network) {
  const auto& results = graph.body().results();
  std::set<const ir::Node*> left_out;
  std::vector<const ir::Node*> ends;
  for (std::size_t i = results.size() - result_count; i < results.size(); ++i) {
    const ir::Node* end = results[i].node;
    platform::require(
        is_choice(*end), ErrorKind::Runtime,
        "The network cannot be exported: its results are not found among what it computes.");
    ends.push_back(end);
    left_out.insert(end);
    left_out.insert(end->operands()[0].node);
  }
  // What marks choose by has no other use: it is entered to be known, and not written.
  for (const ir::Node* end : ends) {
    const ir::Output& chosen = end->operands()[0];
    if (!nodes_.contains(chosen.node)) add(*chosen.node, 0);
    chosen_.insert(value_of(chosen));
  }
  enter(graph.body(), body_, left_out);
  for (const ir::Node* end : ends) results_.push_back(value_of(end->operands()[1]));
}

Node& Regions::add(const ir::Node& source, std::size_t home) {
  auto made = std::make_unique<Node>();
  Node& node = *made;
  node.kind = kind_of(source);
  node.name = source.name();
  node.definition = source.definition();
  node.attributes = source.attributes();
  for (std::size_t i = 0; i < source.output_count(); ++i) node.types.push_back(source.type(i));
  node.tensor = source.tensor();
  node.position = source.position();
  node.order = network_.nodes_.size();
  for (const ir::Output& operand : source.operands())
    node.operands.push_back(resolved(value_of(operand)));
  nodes_[&source] = &node;
  home_[&node] = home;
  network_.nodes_.push_back(std::move(made));
  return node;
}

Value Regions::value_of(const ir::Output& output) const {
  return output ? Value{nodes_.at(output.node), output.index} : Value();
}

void Regions::enter(const ir::Region& region, Inner& inner,
                    const std::set<const ir::Node*>& left_out) {
  for (const ir::Node* argument : region.arguments())
    inner.arguments.push_back(&add(*argument, inner.home));
  for (const ir::Node* source : region.nodes())
    if (!left_out.contains(source)) enter_node(*source, inner);
  if (region.owner() == nullptr) return;  // the graph's own results are those that were marked
  for (const ir::Output& result : region.results()) inner.results.push_back(value_of(result));
}

void Regions::enter_node(const ir::Node& source, Inner& inner) {
  platform::require(source.kind() != ir::NodeKind::HostCall, ErrorKind::Runtime, "'",
                    network_.name(), "' cannot be exported: it calls Python ('", source.name(),
                    "') at ",
                    source.position().file.empty()
                        ? std::string("an unknown line")
                        : platform::join(source.position().file, ":", source.position().line),
                    ".");
  Node& node = add(source, inner.home);
  inner.nodes.push_back(&node);
  if (is_mark(node)) same_[{&node, 0}] = node.operands[1];
  if (source.regions().empty()) return;
  std::vector<Inner> regions;
  for (const auto& region : source.regions()) {
    Inner& made = regions.emplace_back();
    made.home = ++count_;
    enter(*region, made, {});
  }
  is_while_[&node] = source.kind() == ir::NodeKind::While;
  if (is_while_[&node]) {
    // Both parts of a loop are written with the same variables.
    for (std::size_t i = 0; i < regions[0].arguments.size(); ++i)
      same_[{regions[0].arguments[i], 0}] = {regions[1].arguments[i], 0};
    rename(regions[0]);
  }
  inner_[&node] = std::move(regions);
}

void Regions::rename(const Inner& inner) {
  for (Node* node : inner.nodes) {
    for (Value& operand : node->operands) operand = resolved(operand);
    const auto regions = inner_.find(node);
    if (regions == inner_.end()) continue;
    for (const Inner& region : regions->second) rename(region);
  }
}

Value Regions::resolved(Value value) const {
  for (auto found = same_.find(value); found != same_.end(); found = same_.find(value))
    value = found->second;
  return value;
}

bool Regions::is_mark(const Node& node) const {
  return node.is_operator() && node.definition != nullptr && node.definition->name == kChoice &&
         chosen_.contains(node.operands[0]);
}

void Regions::pass_on(Node& mark) const {
  mark.definition = &op::find("identity");
  mark.attributes.clear();
  mark.operands = {resolved(mark.operands[1])};
}

void Regions::take_arguments(std::span<const TensorSpec> inputs) {
  arguments_.assign(inputs.size(), nullptr);
  for (Node* argument : body_.arguments)
    arguments_[std::stoul(argument->name.substr(1))] = argument;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    if (arguments_[i] != nullptr) continue;
    auto unread = std::make_unique<Node>();
    unread->kind = NodeKind::Argument;
    unread->types = {inputs[i]};
    arguments_[i] = unread.get();
    network_.nodes_.push_back(std::move(unread));
  }
}

void Regions::check(bool decides) const {
  if (!decides) return;
  for (const auto& node : network_.nodes_) {
    if (!node->is_writing()) continue;
    const Node* target = node.get();
    while (target != nullptr && target->is_writing()) target = target->operands[0].node;
    platform::require(target == nullptr || target->kind != NodeKind::Parameter, ErrorKind::Runtime,
                      "'", network_.name(), "' cannot be exported: it writes to parameters (",
                      node->place(), ") and decides by values.");
  }
}

Way Regions::straight() {
  Way way;
  for (const Value& value : results_) {
    if (!is_mark(*value.node)) continue;
    same_.erase(value);
    pass_on(*value.node);
  }
  way.graph.arguments = arguments_;
  for (Node* node : body_.nodes)
    if (!is_mark(*node)) way.graph.nodes.push_back(node);  // copies that nobody needed
  way.graph.results = way.results = results_;
  return way;
}

Way Regions::cut() {
  Way whole = way(body_, results_);
  whole.graph.arguments = arguments_;
  return whole;
}

// A result of a graph is a node of its own.
Value Regions::result(Value value) {
  if (same_.contains(value) && is_mark(*value.node)) {
    pass_on(*value.node);
    same_.erase(value);
  }
  return resolved(value);
}

// The graphs of a region: one that ends with a decision, or gives its results.
Way Regions::way(const Inner& inner, const std::vector<Value>& results) {
  if (const Node* last = final_decision(inner.home, results)) return decision(*last, inner.home);
  Way way;
  for (const Value& value : results) way.results.push_back(result(value));
  way.graph = graph(way.results, inner.home);
  return way;
}

// The decision by which a region ends, if all that it gives is what that gives.
const Node* Regions::final_decision(std::size_t home, const std::vector<Value>& results) const {
  std::vector<Value> values;
  for (const Value& value : results) values.push_back(resolved(value));
  if (values.empty()) return nullptr;
  Node& node = *values[0].node;
  const auto is_while = is_while_.find(&node);
  if (is_while == is_while_.end() || is_while->second || home_.at(&node) != home || node.loop)
    return nullptr;
  return values == outputs_of(node) ? &node : nullptr;
}

Way Regions::decision(const Node& node, std::size_t home) {
  Way way;
  const std::vector<Inner>& regions = inner_.at(&node);
  way.if_true = std::make_unique<Way>(this->way(regions[0], regions[0].results));
  way.if_false = std::make_unique<Way>(this->way(regions[1], regions[1].results));
  way.question = node.operands[0];
  std::vector<Value> used;
  add_new(used, way.if_true->graph.outer);
  add_new(used, way.if_false->graph.outer);
  std::vector<Value> wanted{way.question};
  for (const Value& value : used)
    if (home_.at(value.node) == home && is_computed(value)) way.results.push_back(value);
  wanted.insert(wanted.end(), way.results.begin(), way.results.end());
  way.graph = graph(wanted, home);
  for (const Value& value : used)
    if (!holds(way.results, value) && !holds(way.graph.outer, value))
      way.graph.outer.push_back(value);
  std::erase_if(way.graph.outer, [&](const Value& value) { return is_argument_of(value, home); });
  return way;
}

bool Regions::is_computed(const Value& value) const {
  return value.node->kind == NodeKind::Operator || value.node->kind == NodeKind::Loop;
}

bool Regions::is_argument_of(const Value& value, std::size_t home) const {
  return value.node->kind == NodeKind::Argument && home_.at(value.node) == home;
}

// What results are computed from in a region; constants and parameters stand where they are used.
StraightGraph Regions::graph(const std::vector<Value>& results, std::size_t home) {
  StraightGraph graph;
  graph.results = results;
  std::set<Node*> known;
  std::vector<Value> waiting = results;
  while (!waiting.empty()) {
    const Value value = waiting.back();
    waiting.pop_back();
    Node& node = *value.node;
    if (node.kind == NodeKind::Loop && !node.loop) make_loop(node);
    const bool is_own = home_.at(&node) == home;
    if (is_own && node.kind == NodeKind::Argument) continue;
    if (!is_own && node.kind != NodeKind::Constant && node.kind != NodeKind::Parameter) {
      add_new(graph.outer, {value});
    } else if (known.insert(&node).second) {
      graph.nodes.push_back(&node);
      std::copy_if(node.operands.begin(), node.operands.end(), std::back_inserter(waiting),
                   [](const Value& operand) { return static_cast<bool>(operand); });
    }
  }
  std::sort(graph.nodes.begin(), graph.nodes.end(),
            [](const Node* a, const Node* b) { return a->order < b->order; });
  return graph;
}

// A loop, or a decision after which the graph goes on: a turn that is made once.
void Regions::make_loop(Node& node) {
  auto loop = std::make_unique<Loop>();
  loop->ends = outputs_of(node);
  std::vector<Value> outer;
  if (is_while_.at(&node)) {
    const std::vector<Inner>& regions = inner_.at(&node);
    loop->begins = node.operands;
    for (Node* argument : regions[1].arguments) loop->starts.push_back({argument, 0});
    loop->condition = std::make_unique<Way>(way(regions[0], regions[0].results));
    loop->body = way(regions[1], regions[1].results);
    for (Way* part : {loop->condition.get(), &loop->body}) {
      part->graph.arguments = regions[1].arguments;
      std::erase_if(part->graph.outer,
                    [&](const Value& value) { return holds(loop->starts, value); });
      add_new(outer, part->graph.outer);
    }
    node.operands.insert(node.operands.end(), outer.begin(), outer.end());
  } else {
    loop->body = decision(node, kNoHome);
    loop->body.graph.results = node.operands;
    node.operands = loop->body.graph.outer;
  }
  node.loop = std::move(loop);
}

Network::Network(const ir::Graph& graph, std::span<const TensorSpec> inputs,
                 std::size_t result_count, bool is_as_it_is)
    : name_(graph.name()) {
  Regions regions(*this, graph, result_count);
  regions.take_arguments(inputs);
  const bool decides = !is_as_it_is || regions.has_regions();
  regions.check(decides);
  way_ = decides ? regions.cut() : regions.straight();
}

}  // namespace mycel::formats::writing
