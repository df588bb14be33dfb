// SPDX-License-Identifier: Apache-2.0
// How operators of the registry are written to MindIR files. Most are primitives under their public
// names, with the same attributes; the others have a rule, which stands in the file of the operator
// beside its schema, as the mappings for reading do (operator/stored_call.h).
#pragma once

#include <string_view>

#include "operator/mindir_symbol.h"
#include "operator/written_call.h"

namespace mycel::op::mindir {

using Written = written::Written<Symbol>;

// One use of an operator, with the values of its operands.
class Call : public written::Call<Graph, Symbol> {
 public:
  using written::Call<Graph, Symbol>::Call;

  // What an operand was before it was converted.
  virtual Symbol unconverted(std::size_t i) const = 0;

 protected:
  // That of the operands beside it.
  DType type_of_number(std::size_t i) const override;
};

using Rule = written::Rule<Call>;

const Rule* find_rule(const OpDef& definition);  // null: it has none

class RuleRegistration {
 public:
  RuleRegistration(std::string_view op, Rule rule);
};

// What an operator is in MindIR files:
//   MYCEL_WRITES_MINDIR(frac) { const auto x = call.typed(); return x - x.add("Trunc"); }
#define MYCEL_WRITES_MINDIR(op_name)                                                             \
  static ::mycel::op::mindir::Written writes_mindir_##op_name(const ::mycel::op::mindir::Call&); \
  MYCEL_WRITES_MINDIR_BY(op_name, writes_mindir_##op_name);                                      \
  static ::mycel::op::mindir::Written writes_mindir_##op_name(                                   \
      [[maybe_unused]] const ::mycel::op::mindir::Call& call)
// The same by a function that several operators share.
#define MYCEL_WRITES_MINDIR_BY(op_name, rule) \
  static const ::mycel::op::mindir::RuleRegistration register_writing_##op_name(#op_name, rule)

}  // namespace mycel::op::mindir
