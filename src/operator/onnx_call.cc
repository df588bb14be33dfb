// SPDX-License-Identifier: Apache-2.0
#include "operator/onnx_call.h"

#include "operator/stored_call.h"

namespace mycel::op::onnx {

namespace {

written::Rules<Call>& rules() {
  static written::Rules<Call> table;
  return table;
}

}  // namespace

Symbol Call::same(std::string_view kind, const NamedList& attributes) const {
  const std::vector<Symbol> operands = inputs(dtype());
  const std::vector<Operand> others(operands.begin() + 1, operands.end());
  return operands[0].add(kind, others, attributes);
}

void Call::refuse_parameter(std::size_t i) const {
  const UsedOperand& target = operand(i);
  if (definition().has_effects && target.is_parameter)
    refuse("it changes '", target.name.empty() ? "a tensor" : target.name,
           "', and files keep no state");
}

const Rule* find_rule(const OpDef& definition) { return rules().find(definition); }

RuleRegistration::RuleRegistration(std::string_view op, Rule rule) {
  rules().add(op, std::move(rule));
}

Twins::Twins(std::initializer_list<std::pair<std::string_view, std::string_view>> names) {
  const OnnxNames read(names);
  for (const auto& [kind, op] : names)
    rules().add(op, [kind = kind](const Call& call) { return call.same(kind); });
}

}  // namespace mycel::op::onnx
