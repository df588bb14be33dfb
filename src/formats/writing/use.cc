// SPDX-License-Identifier: Apache-2.0
#include "formats/writing/use.h"

#include "platform/error/error.h"

namespace mycel::formats::writing {

op::OperatorUse::Facts facts_of(Node& node, const std::set<Value>& read, std::string_view format) {
  op::OperatorUse::Facts facts{.definition = *node.definition,
                               .attributes = node.attributes,
                               .outputs = node.types,
                               .place = node.place(),
                               .format = format};
  for (const Value& operand : node.operands) {
    op::UsedOperand& used = facts.operands.emplace_back();
    used.is_present = static_cast<bool>(operand);
    if (!operand) continue;
    used.spec = operand.type();
    used.is_parameter = operand.node->kind == NodeKind::Parameter;
    if (used.is_parameter) used.name = operand.node->name;
    if (operand.node->is_number()) used.number = operand.node->tensor;
  }
  for (std::uint32_t i = 0; i < node.types.size(); ++i)
    facts.is_read.push_back(read.contains({&node, i}));
  return facts;
}

std::string missing_operators(const StraightGraph& graph, Folding& folding,
                              const std::function<bool(const op::OpDef&)>& can_be_written) {
  std::set<std::string> known;
  std::string missing;
  for (const Node* node : graph.nodes) {
    if (!node->is_operator()) continue;
    // Asked in the order of the graph, so that no answer leads far back.
    const bool is_constant = folding.is_constant(*node);
    const std::string& name = node->definition->name;
    if (is_constant || can_be_written(*node->definition) || !known.insert(name).second) continue;
    missing +=
        platform::join(missing.empty() ? "" : ", ", "'", name, "' (first at ", node->place(), ")");
  }
  return missing;
}

}  // namespace mycel::formats::writing
