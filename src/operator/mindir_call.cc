// SPDX-License-Identifier: Apache-2.0
#include "operator/mindir_call.h"

#include <map>

#include "platform/error/error.h"

namespace mycel::op::mindir {

Symbol Call::number_operand(std::size_t i, DType dtype) const {
  const Datum number{Value(&graph_.emitter(), operand(i).number)};
  return Symbol(graph_, "", dtype, {}).number(number);
}

Symbol Call::input(std::size_t i) const {
  if (!has(i)) return {};
  if (!is_number(i)) return value(i);
  for (std::size_t other = 0; other < operand_count(); ++other) {
    if (has(other) && !is_number(other)) return number_operand(i, dtype_of(other));
  }
  return number_operand(i, dtype());
}

Symbol Call::input(std::size_t i, DType dtype) const {
  if (!has(i)) return {};
  return is_number(i) ? number_operand(i, dtype) : value(i).to(dtype);
}

std::vector<Symbol> Call::inputs() const {
  std::vector<Symbol> all;
  for (std::size_t i = 0; i < operand_count(); ++i)
    if (has(i)) all.push_back(input(i));
  return all;
}

std::vector<Symbol> Call::inputs(DType dtype) const {
  std::vector<Symbol> all;
  for (std::size_t i = 0; i < operand_count(); ++i)
    if (has(i)) all.push_back(input(i, dtype));
  return all;
}

Symbol Call::number(const Operand& value, std::optional<DType> type) const {
  return Symbol(graph_, "", type.value_or(dtype()), {}).number(value.datum());
}

Symbol Call::table(const Table& numbers, std::optional<DType> type) const {
  return Symbol(graph_, "", type.value_or(dtype()), {}).table(numbers);
}

Symbol Call::filled(const Shape& shape, double value, std::optional<DType> type) const {
  const auto count = static_cast<std::size_t>(tensor::element_count(shape));
  return table({shape, std::vector(count, value)}, type);
}

namespace {

std::map<std::string_view, Rule>& rules() {
  static std::map<std::string_view, Rule> table;
  return table;
}

}  // namespace

Rule find_rule(const OpDef& definition) {
  const auto found = rules().find(definition.name);
  return found == rules().end() ? nullptr : found->second;
}

RuleRegistration::RuleRegistration(std::string_view op, Rule rule) {
  const bool is_new = rules().emplace(op, rule).second;
  platform::require(is_new, ErrorKind::Internal, "two rules write ", op);
}

}  // namespace mycel::op::mindir
