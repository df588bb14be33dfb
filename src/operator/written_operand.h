// SPDX-License-Identifier: Apache-2.0
// What rules are written with that say what an operator becomes in a model file, whatever its
// format: plain values, tables of numbers, and arithmetic of the values of a graph being written.
#pragma once

#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "operator/datum.h"

namespace mycel::op::written {

using tensor::Shape;
using tensor::Tensor;

// An argument or attribute that is a plain value in the file, and no tensor.
struct Plain {
  Plain(Datum value) : datum(std::move(value)) {}
  Plain(bool value) : datum(value) {}
  Plain(int value) : datum(static_cast<std::int64_t>(value)) {}
  Plain(std::int64_t value) : datum(value) {}
  Plain(std::size_t value) : datum(static_cast<std::int64_t>(value)) {}
  Plain(double value) : datum(value) {}
  Plain(const char* value) : datum(std::string(value)) {}
  Plain(const IntList& values) : datum(Datum::tuple(values)) {}
  Plain(const AttributeValue& value);
  Datum datum;
};

struct Named {
  std::string_view name;
  Plain value;
};
using NamedList = std::vector<Named>;

// The numbers of a constant, in the order of memory.
struct Table {
  Shape shape;
  std::vector<double> values;
  // What a function of the position gives for each.
  template <class Function>
  static Table of(std::int64_t count, const Function& value) {
    Table table{{count}, {}};
    for (std::int64_t i = 0; i < count; ++i) table.values.push_back(static_cast<double>(value(i)));
    return table;
  }
  static Table positions(std::int64_t count) {
    return of(count, [](std::int64_t i) { return i; });
  }
  static Table filled(Shape shape, double value);
  Table shaped(Shape other) && { return {std::move(other), std::move(values)}; }
  Tensor tensor(DType dtype) const;
};

// What a node is given: a value, a number that becomes a tensor of the first argument's type, or a
// plain value; nothing where an optional one is absent.
template <class Symbol>
class Operand {
 public:
  Operand(Symbol symbol) : symbol_(std::move(symbol)) {}
  Operand(int number) : datum_(static_cast<std::int64_t>(number)), is_number_(true) {}
  Operand(std::int64_t number) : datum_(number), is_number_(true) {}
  Operand(double number) : datum_(number), is_number_(true) {}
  Operand(const AttributeValue& number) : datum_(Plain(number).datum), is_number_(true) {}
  Operand(Plain plain) : datum_(std::move(plain.datum)) {}
  Operand(const IntList& plain) : datum_(Datum::tuple(plain)) {}

  const Symbol& symbol() const { return symbol_; }
  bool is_symbol() const { return symbol_.defined(); }
  bool is_number() const { return is_number_; }
  const Datum& datum() const { return datum_; }
  // A number as a constant of that value's type.
  Symbol beside(const Symbol& like) const { return is_symbol() ? symbol_ : like.number(datum_); }

 private:
  Symbol symbol_;
  Datum datum_;
  bool is_number_ = false;
};

// Arithmetic of the values of a format, which says what it calls the nodes:
//   struct Symbol : Arithmetic<Symbol> { static constexpr std::string_view kDivision = "Div"; ...
//   };
template <class Symbol>
class Arithmetic {
 public:
  Symbol equals(const Operand<Symbol>& y) const { return self().add("Equal", {y}); }
  // What is left of this by whole quotients, with the sign of the other.
  Symbol modulo(const Operand<Symbol>& y) const { return self().add(Symbol::kModulo, {y}); }
  Symbol maximum(const Operand<Symbol>& y) const { return self().add(Symbol::kMaximum, {y}); }
  Symbol minimum(const Operand<Symbol>& y) const { return self().add(Symbol::kMinimum, {y}); }

  friend Symbol operator+(const Symbol& x, const Operand<Symbol>& y) { return x.add("Add", {y}); }
  friend Symbol operator-(const Symbol& x, const Operand<Symbol>& y) { return x.add("Sub", {y}); }
  friend Symbol operator*(const Symbol& x, const Operand<Symbol>& y) { return x.add("Mul", {y}); }
  friend Symbol operator/(const Symbol& x, const Operand<Symbol>& y) {
    return x.add(Symbol::kDivision, {y});
  }
  friend Symbol operator-(const Symbol& x) { return x.add("Neg"); }
  friend Symbol operator<(const Symbol& x, const Operand<Symbol>& y) { return x.add("Less", {y}); }
  friend Symbol operator>(const Symbol& x, const Operand<Symbol>& y) {
    return x.add("Greater", {y});
  }
  friend Symbol operator<=(const Symbol& x, const Operand<Symbol>& y) {
    return x.add(Symbol::kLessOrEqual, {y});
  }
  friend Symbol operator>=(const Symbol& x, const Operand<Symbol>& y) {
    return x.add(Symbol::kGreaterOrEqual, {y});
  }

 private:
  const Symbol& self() const { return static_cast<const Symbol&>(*this); }
};

}  // namespace mycel::op::written
