// SPDX-License-Identifier: Apache-2.0
#include "ir/graph.h"

#include <algorithm>

#include "platform/error/error.h"

namespace mycel::ir {

using platform::ErrorKind;

std::string_view name_of(NodeKind kind) {
  switch (kind) {
    case NodeKind::Argument: return "argument";
    case NodeKind::Constant: return "constant";
    case NodeKind::Parameter: return "parameter";
    case NodeKind::Operator: return "operator";
    case NodeKind::If: return "if";
    case NodeKind::While: return "while";
    case NodeKind::HostCall: return "host_call";
    case NodeKind::Fused: return "fused";
  }
  return "?";
}

const TensorSpec& Output::type() const { return node->type(index); }

bool Node::has_effects() const {
  if (kind_ == NodeKind::HostCall) return true;
  if (kind_ == NodeKind::Operator) return definition_->has_effects || definition_->is_random;
  return std::any_of(regions_.begin(), regions_.end(), [](const std::unique_ptr<Region>& region) {
    return std::any_of(region->nodes().begin(), region->nodes().end(),
                       [](const Node* node) { return node->has_effects(); });
  });
}

const ValueFacts& Node::facts(std::size_t output) const {
  static const ValueFacts none;
  return output < facts_.size() ? facts_[output] : none;
}

void Node::set_facts(std::size_t output, ValueFacts facts) {
  if (facts_.size() <= output) facts_.resize(output + 1);
  facts_[output] = std::move(facts);
}

const std::string& Node::cell() const {
  static const std::string none;
  return origin_.cell ? *origin_.cell : none;
}

const Position& Node::position() const {
  static const Position nowhere;
  return origin_.position ? *origin_.position : nowhere;
}

device::Device Node::device() const {
  const bool is_hosts = kind_ == NodeKind::HostCall || (!types_.empty() && types_[0].is_number);
  return is_hosts ? device::Device() : parent_->graph().device();
}

bool Node::is_unused() const {
  for (std::uint32_t i = 0; i < users_.size(); ++i) {
    if (!users_[i].empty() || is_result(i)) return false;
  }
  return true;
}

void Node::set_operand(std::size_t i, Output value) {
  const Output before = operands_[i];
  if (before) {
    auto& users = before.node->users_[before.index];
    users.erase(std::find(users.begin(), users.end(), this));
  }
  operands_[i] = value;
  if (value) value.node->users_[value.index].push_back(this);
}

void Region::set_results(std::vector<Output> results) {
  for (const Output& before : results_) {
    if (!before) continue;
    auto& regions = before.node->returned_by_[before.index];
    regions.erase(std::find(regions.begin(), regions.end(), this));
  }
  results_ = std::move(results);
  for (const Output& result : results_) {
    if (result) result.node->returned_by_[result.index].push_back(this);
  }
}

Graph::Graph(std::string name)
    : name_(std::move(name)), body_(std::make_unique<Region>(*this, nullptr)) {}

Node& Graph::add(Region& region, NodeKind kind, std::vector<Output> operands,
                 std::vector<TensorSpec> types, Node* before) {
  Node& node = *pool_.emplace_back(std::make_unique<Node>());
  node.kind_ = kind;
  node.id_ = static_cast<std::uint32_t>(pool_.size());
  node.parent_ = &region;
  node.operands_ = std::move(operands);
  for (const Output& operand : node.operands_) {
    if (operand) operand.node->users_[operand.index].push_back(&node);
  }
  node.types_ = std::move(types);
  node.users_.resize(node.types_.size());
  node.returned_by_.resize(node.types_.size());
  if (kind == NodeKind::Argument) {
    region.arguments_.push_back(&node);
  } else {
    node.place_ =
        region.nodes_.insert(before == nullptr ? region.nodes_.end() : before->place_, &node);
  }
  return node;
}

Node& Graph::add_argument(Region& region, TensorSpec type, std::string name) {
  Node& node = add(region, NodeKind::Argument, {}, {std::move(type)}, nullptr);
  node.name_ = std::move(name);
  return node;
}

Node& Graph::add_constant(Region& region, Tensor value, Node* before) {
  Node& node = add(region, NodeKind::Constant, {},
                   {{value.dtype(), value.shape(), value.body().is_number}}, before);
  node.tensor_ = std::move(value);
  return node;
}

Node& Graph::add_parameter(Region& region, Tensor value, std::string name, Node* before) {
  Node& node =
      add(region, NodeKind::Parameter, {}, {{value.dtype(), value.shape(), false}}, before);
  node.tensor_ = std::move(value);
  node.name_ = std::move(name);
  return node;
}

Node& Graph::add_operator(Region& region, const OpDef& definition, std::vector<Output> operands,
                          AttributeList attributes, std::vector<TensorSpec> types, Node* before) {
  Node& node = add(region, NodeKind::Operator, std::move(operands), std::move(types), before);
  node.definition_ = &definition;
  node.attributes_ = std::move(attributes);
  return node;
}

Node& Graph::add_if(Region& region, Output condition) {
  Node& node = add(region, NodeKind::If, {condition}, {}, nullptr);
  inner_regions_ += 2;
  for (int branch = 0; branch < 2; ++branch)
    node.regions_.push_back(std::make_unique<Region>(*this, &node));
  return node;
}

Node& Graph::add_while(Region& region, std::vector<Output> initial) {
  Node& node = add(region, NodeKind::While, std::move(initial), {}, nullptr);
  inner_regions_ += 2;
  for (int part = 0; part < 2; ++part)
    node.regions_.push_back(std::make_unique<Region>(*this, &node));
  return node;
}

Node& Graph::add_host_call(Region& region, std::string name, HostFunction function,
                           std::vector<Output> operands, std::vector<TensorSpec> types) {
  Node& node = add(region, NodeKind::HostCall, std::move(operands), std::move(types), nullptr);
  node.name_ = std::move(name);
  node.host_function_ = std::move(function);
  return node;
}

Node& Graph::add_fused(Region& region, std::string name, std::vector<Output> operands,
                       Node* before) {
  Node& node = add(region, NodeKind::Fused, std::move(operands), {}, before);
  node.name_ = std::move(name);
  Region& inner = *node.regions_.emplace_back(std::make_unique<Region>(*this, &node));
  for (const Output& operand : node.operands_) add_argument(inner, operand.type(), "");
  return node;
}

void Graph::set_types(Node& node, std::vector<TensorSpec> types) {
  node.types_ = std::move(types);
  node.users_.resize(node.types_.size());
  node.returned_by_.resize(node.types_.size());
}

void Graph::replace(Output from, Output to) {
  const ValueFacts& known = from.node->facts(from.index);
  if (known.is_news() && !to.node->facts(to.index).is_news() &&
      from.type().shape == to.type().shape)
    to.node->set_facts(to.index, known);
  const std::vector<Node*> users = from.node->users_[from.index];
  for (Node* user : users) {
    for (std::size_t i = 0; i < user->operands_.size(); ++i) {
      if (user->operands_[i] == from) user->set_operand(i, to);
    }
  }
  const std::vector<Region*> regions = from.node->returned_by_[from.index];
  for (Region* region : regions) {
    std::vector<Output> results = region->results_;
    std::replace(results.begin(), results.end(), from, to);
    region->set_results(std::move(results));
  }
}

namespace {

// Those of which values decide whether and how often they run.
std::size_t decided_regions(const Node& node) {
  return node.kind() == NodeKind::Fused ? 0 : node.regions().size();
}

}  // namespace

void Graph::erase(Node& node) {
  platform::require(node.is_unused(), ErrorKind::Internal,
                    "a node that is still read was to be erased");
  for (std::size_t i = 0; i < node.operands_.size(); ++i) node.set_operand(i, {});
  for (const auto& region : node.regions_) {
    walk(*region, [&](Node& inner) {
      for (std::size_t i = 0; i < inner.operands_.size(); ++i) inner.set_operand(i, {});
      for (const auto& nested : inner.regions_) nested->set_results({});
      inner_regions_ -= decided_regions(inner);
    });
    region->set_results({});
  }
  inner_regions_ -= decided_regions(node);
  node.parent_->nodes_.erase(node.place_);
}

void Graph::move_before(Node& node, Node& before) {
  Region& region = *node.parent_;
  region.nodes_.splice(before.place_, region.nodes_, node.place_);
}

std::size_t Graph::node_count() const {
  std::size_t count = 0;
  walk(*body_, [&](Node&) { ++count; });
  return count;
}

OpDef& Graph::own(std::unique_ptr<OpDef> definition) {
  return *definitions_.emplace_back(std::move(definition));
}

std::optional<std::int64_t> evaluate(const SizeExpression& size, const Graph& graph) {
  const std::vector<Node*>& arguments = graph.body().arguments();
  const auto length = [&](std::size_t value, std::size_t axis) -> std::optional<std::int64_t> {
    if (value >= arguments.size() || axis >= arguments[value]->type().shape.size())
      return std::nullopt;
    return arguments[value]->type().shape[axis];
  };
  const std::optional<SizeNumber> number = evaluate(size, length);
  return number && !number->is_real ? std::optional(number->whole) : std::nullopt;
}

void walk(const Region& region, const std::function<void(Node&)>& visit) {
  for (Node* node : region.nodes()) {
    visit(*node);
    for (const auto& inner : node->regions()) walk(*inner, visit);
  }
}

}  // namespace mycel::ir
