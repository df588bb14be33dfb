// SPDX-License-Identifier: Apache-2.0
#include "operator/mindir_call.h"

namespace mycel::op::mindir {

namespace {

written::Rules<Call>& rules() {
  static written::Rules<Call> table;
  return table;
}

}  // namespace

DType Call::type_of_number(std::size_t /*i*/) const {
  for (std::size_t other = 0; other < operand_count(); ++other)
    if (has(other) && !is_number(other)) return dtype_of(other);
  return dtype();
}

const Rule* find_rule(const OpDef& definition) { return rules().find(definition); }

RuleRegistration::RuleRegistration(std::string_view op, Rule rule) {
  rules().add(op, std::move(rule));
}

}  // namespace mycel::op::mindir
