// SPDX-License-Identifier: Apache-2.0
// One use of an operator, as rules see it that say what it becomes in a model file.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "operator/operator_use.h"
#include "operator/written_operand.h"

namespace mycel::op::written {

// What a rule gives: one value, or one for each of the first outputs.
template <class Symbol>
struct Written {
  Written(Symbol output) : outputs{std::move(output)} {}
  Written(std::vector<Symbol> several) : outputs(std::move(several)) {}
  std::vector<Symbol> outputs;
};

// With the values that its operands have in the graph being written.
template <class Graph, class Symbol>
class Call : public OperatorUse {
 public:
  using Written = written::Written<Symbol>;
  Call(Facts facts, Graph& graph) : OperatorUse(std::move(facts)), graph_(graph) {}
  virtual ~Call() = default;

  Graph& graph() const { return graph_; }
  // An operand, in a type where one is named; undefined where it is absent.
  Symbol input(std::size_t i = 0) const {
    if (!has(i)) return {};
    return is_number(i) ? input(i, type_of_number(i)) : value(i);
  }
  Symbol input(std::size_t i, DType dtype) const {
    if (!has(i)) return {};
    return is_number(i) ? like(dtype).number(Datum(Value(&graph_.emitter(), operand(i).number)))
                        : value(i).to(dtype);
  }
  // An operand in the type of the result.
  Symbol typed(std::size_t i = 0) const { return input(i, dtype()); }
  // All operands that are there.
  std::vector<Symbol> inputs() const {
    return present([&](std::size_t i) { return input(i); });
  }
  std::vector<Symbol> inputs(DType dtype) const {
    return present([&](std::size_t i) { return input(i, dtype); });
  }

  // Constants, in the type of the first output unless another is named.
  Symbol number(const Operand<Symbol>& value, std::optional<DType> type = {}) const {
    return like(type.value_or(dtype())).number(value.datum());
  }
  Symbol table(const Table& numbers, std::optional<DType> type = {}) const {
    return like(type.value_or(dtype())).table(numbers);
  }
  Symbol filled(const Shape& shape, double value, std::optional<DType> type = {}) const {
    return table(Table::filled(shape, value), type);
  }

 protected:
  virtual Symbol value(std::size_t i) const = 0;  // an operand as the graph has it
  // Of an operand that is a number, where no other is named.
  virtual DType type_of_number(std::size_t i) const = 0;

 private:
  Symbol like(DType dtype) const { return Symbol(graph_, "", dtype); }
  template <class Take>
  std::vector<Symbol> present(const Take& take) const {
    std::vector<Symbol> all;
    for (std::size_t i = 0; i < operand_count(); ++i)
      if (has(i)) all.push_back(take(i));
    return all;
  }
  Graph& graph_;
};

template <class Call>
using Rule = std::function<typename Call::Written(const Call& call)>;

// What operators become in a format, by name.
template <class Call>
class Rules {
 public:
  const Rule<Call>* find(const OpDef& definition) const {
    const auto found = rules_.find(definition.name);
    return found == rules_.end() ? nullptr : &found->second;
  }
  void add(std::string_view op, Rule<Call> rule) {
    const bool is_new = rules_.emplace(op, std::move(rule)).second;
    platform::require(is_new, ErrorKind::Internal, "two rules write ", op);
  }

 private:
  std::map<std::string, Rule<Call>, std::less<>> rules_;
};

}  // namespace mycel::op::written
