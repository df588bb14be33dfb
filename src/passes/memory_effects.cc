// SPDX-License-Identifier: Apache-2.0
#include "passes/memory_effects.h"

#include <algorithm>

#include "operator/written_input.h"

namespace mycel::passes {

using ir::Node;
using ir::NodeKind;
using ir::Output;

bool writes_memory(const Node& node) {
  if (node.kind() == NodeKind::HostCall) return true;
  if (node.kind() == NodeKind::Operator) return node.definition()->has_effects;
  return std::any_of(node.regions().begin(), node.regions().end(), [](const auto& region) {
    return std::any_of(region->nodes().begin(), region->nodes().end(),
                       [](const Node* inner) { return writes_memory(*inner); });
  });
}

bool may_write(const Node& node, std::size_t operand) {
  if (node.kind() != NodeKind::Operator || !node.definition()->has_effects) return false;
  const op::OpDef& definition = *node.definition();
  const bool lists = !definition.outputs.empty() && definition.outputs.back().variadic;
  bool declares = false;
  for (std::uint32_t i = 0; i < node.output_count(); ++i) {
    const int written = op::written_input(definition, i);
    if (written < 0) continue;
    declares = true;
    if (static_cast<std::size_t>(written) == operand) return true;
    if (!lists && node.operands()[operand].type().shape == node.type(i).shape) return true;
  }
  return !declares;
}

bool is_parameter_memory(Output value) {
  while (value) {
    const Node& node = *value.node;
    if (node.kind() == NodeKind::Parameter || writes_memory(node)) return true;
    if (node.kind() == NodeKind::Argument && is_written(node)) return true;
    const bool view = node.kind() == NodeKind::Operator && node.definition()->view != nullptr;
    if (!view || node.operands().empty()) return false;
    value = node.operands()[0];
  }
  return false;
}

bool owns_memory(Output value) {
  const Node& node = *value.node;
  switch (node.kind()) {
    case NodeKind::If:
    case NodeKind::While:
    case NodeKind::Fused: return true;
    case NodeKind::Argument:
      return node.parent().owner() != nullptr && node.parent().owner()->kind() == NodeKind::While;
    case NodeKind::Operator: {
      const op::OpDef& definition = *node.definition();
      if (definition.view != nullptr || definition.dynamic_outputs) return false;
      const int written = op::written_input(definition, value.index);
      if (written < 0) return true;
      const Output target = node.operands()[static_cast<std::size_t>(written)];
      return &target.node->parent() == &node.parent() && owns_memory(target);
    }
    case NodeKind::Constant:
    case NodeKind::Parameter:
    case NodeKind::HostCall: return false;
  }
  return false;
}

bool is_written(const Node& node) {
  const auto writes_it = [&](const Node* user) {
    if (user->kind() != NodeKind::Operator) return writes_memory(*user);
    for (std::size_t i = 0; i < user->operands().size(); ++i) {
      if (user->operands()[i].node == &node && may_write(*user, i)) return true;
    }
    return false;
  };
  const auto& users = node.users(0);
  return std::any_of(users.begin(), users.end(), writes_it);
}

namespace {

bool is_view(const Node& node) {
  return node.kind() == NodeKind::Operator && node.definition()->view != nullptr;
}

bool is_written_below(const Output& value) {
  const auto& users = value.node->users(value.index);
  return std::any_of(users.begin(), users.end(), [&](Node* user) {
    if (user->kind() != NodeKind::Operator) return writes_memory(*user);
    for (std::size_t i = 0; i < user->operands().size(); ++i) {
      if (user->operands()[i] == value && may_write(*user, i)) return true;
    }
    if (!is_view(*user)) return false;
    for (std::uint32_t i = 0; i < user->output_count(); ++i) {
      if (is_written_below(user->output(i))) return true;
    }
    return false;
  });
}

}  // namespace

bool is_written_through_views(Output value) {
  while (is_view(*value.node) && !value.node->operands().empty() && value.node->operands()[0])
    value = value.node->operands()[0];
  return is_written_below(value);
}

MemoryEffects::MemoryEffects(const ir::Region& region) {
  std::size_t writes = 0;
  for (const Node* node : region.nodes()) {
    writes_before_[node] = writes;
    if (writes_memory(*node)) ++writes;
  }
}

bool MemoryEffects::can_sink(const Node& node, const Node& to) const {
  const auto from = writes_before_.find(&node);
  const auto target = writes_before_.find(&to);
  if (from == writes_before_.end() || target == writes_before_.end()) return false;
  if (from->second == target->second) return true;
  return std::none_of(node.operands().begin(), node.operands().end(), [](const Output& operand) {
    return operand && (is_parameter_memory(operand) || is_written_through_views(operand));
  });
}

void MemoryEffects::note_replacement(const Node& node, const Node& replacement) {
  writes_before_[&replacement] = writes_before_.at(&node);
}

}  // namespace mycel::passes
