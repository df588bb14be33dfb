// SPDX-License-Identifier: Apache-2.0
// How operators of the registry are written to ONNX files: by a rule that stands in the file of the
// operator beside its schema, as the mappings for reading do (operator/stored_call.h).
#pragma once

#include <functional>
#include <initializer_list>
#include <memory>
#include <string_view>
#include <utility>

#include "operator/onnx_symbol.h"
#include "operator/written_call.h"

namespace mycel::op::onnx {

using Written = written::Written<Symbol>;

// One use of an operator, with the values of its operands.
class Call : public written::Call<Graph, Symbol> {
 public:
  using written::Call<Graph, Symbol>::Call;

  // A node of one output that takes all operands, in the type of the result.
  Symbol same(std::string_view kind, const NamedList& attributes = {}) const;
  // Refuses operators that would change a parameter of the network.
  void refuse_parameter(std::size_t i) const;
  // The operator that computes an operand; null: it is something else.
  virtual std::unique_ptr<Call> producer(std::size_t i) const = 0;
  // Whether all operators that read an output are such; true where there is none.
  virtual bool all_readers(std::size_t output,
                           const std::function<bool(const OperatorUse&)>& are_such) const = 0;

 protected:
  DType type_of_number(std::size_t i) const override { return dtype_of(i); }
};

using Rule = written::Rule<Call>;

const Rule* find_rule(const OpDef& definition);  // null: it cannot be written

class RuleRegistration {
 public:
  RuleRegistration(std::string_view op, Rule rule);
};

// Operators that ONNX has too, with the same inputs and no attributes: read and written under its
// name.
//   const op::onnx::Twins onnx_twins{{"Add", "add"}, {"Sub", "sub"}};
class Twins {
 public:
  Twins(std::initializer_list<std::pair<std::string_view, std::string_view>> names);
};

// What an operator is in ONNX files:
//   MYCEL_WRITES_ONNX(frac) { const auto x = call.typed(); return x - truncated(x); }
#define MYCEL_WRITES_ONNX(op_name)                                                         \
  static ::mycel::op::onnx::Written writes_onnx_##op_name(const ::mycel::op::onnx::Call&); \
  MYCEL_WRITES_ONNX_BY(op_name, writes_onnx_##op_name);                                    \
  static ::mycel::op::onnx::Written writes_onnx_##op_name(                                 \
      [[maybe_unused]] const ::mycel::op::onnx::Call& call)
// The same by a function that several operators share.
#define MYCEL_WRITES_ONNX_BY(op_name, rule) \
  static const ::mycel::op::onnx::RuleRegistration register_writing_onnx_##op_name(#op_name, rule)

}  // namespace mycel::op::onnx
