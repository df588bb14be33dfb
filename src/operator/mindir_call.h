// SPDX-License-Identifier: Apache-2.0
// How operators of the registry are written to MindIR files. Most are primitives under their public
// names, with the same attributes; the others have a rule, which stands in the file of the operator
// beside its schema, as the mappings for reading do (operator/stored_call.h).
#pragma once

#include <string_view>
#include <vector>

#include "operator/mindir_symbol.h"
#include "operator/operator_use.h"

namespace mycel::op::mindir {

// One use of an operator, with the values of its operands.
class Call : public OperatorUse {
 public:
  Call(Facts facts, Graph& graph) : OperatorUse(std::move(facts)), graph_(graph) {}
  virtual ~Call() = default;

  Graph& graph() const { return graph_; }
  // An operand, in a type where one is named; undefined where it is absent. A number has the type
  // of the operands beside it.
  Symbol input(std::size_t i = 0) const;
  Symbol input(std::size_t i, DType dtype) const;
  // An operand in the type of the result.
  Symbol typed(std::size_t i = 0) const { return input(i, dtype()); }
  // All operands that are there.
  std::vector<Symbol> inputs() const;
  std::vector<Symbol> inputs(DType dtype) const;
  // What an operand was before it was converted.
  virtual Symbol unconverted(std::size_t i) const = 0;

  // Constants, in the type of the first output unless another is named.
  Symbol number(const Operand& value, std::optional<DType> dtype = {}) const;
  Symbol table(const Table& numbers, std::optional<DType> dtype = {}) const;
  Symbol filled(const Shape& shape, double value, std::optional<DType> dtype = {}) const;

 protected:
  virtual Symbol value(std::size_t i) const = 0;  // an operand as the graph has it

 private:
  Symbol number_operand(std::size_t i, DType dtype) const;
  Graph& graph_;
};

// What a rule gives: one value, or one for each of the first outputs.
struct Written {
  Written(Symbol output) : outputs{std::move(output)} {}
  Written(std::vector<Symbol> several) : outputs(std::move(several)) {}
  std::vector<Symbol> outputs;
};

using Rule = Written (*)(const Call& call);

Rule find_rule(const OpDef& definition);  // null: it has none

class RuleRegistration {
 public:
  RuleRegistration(std::string_view op, Rule rule);
};

// What an operator is in MindIR files:
//   MYCEL_WRITES_MINDIR(frac) { const auto x = call.typed(); return x - x.add("Trunc"); }
#define MYCEL_WRITES_MINDIR(op_name)                                                             \
  static ::mycel::op::mindir::Written writes_mindir_##op_name(const ::mycel::op::mindir::Call&); \
  MYCEL_WRITTEN_BY(op_name, writes_mindir_##op_name);                                            \
  static ::mycel::op::mindir::Written writes_mindir_##op_name(                                   \
      [[maybe_unused]] const ::mycel::op::mindir::Call& call)
// The same by a function that several operators share.
#define MYCEL_WRITTEN_BY(op_name, rule) \
  static const ::mycel::op::mindir::RuleRegistration register_writing_##op_name(#op_name, rule)

}  // namespace mycel::op::mindir
