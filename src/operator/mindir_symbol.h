// SPDX-License-Identifier: Apache-2.0
// What rules are written with that say what an operator becomes in a MindIR file: values of the
// graph being written. `x * 2 + x.add("Sqrt")` adds calls of the primitives Mul, Sqrt and Add.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "operator/datum.h"

namespace mycel::op::mindir {

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
  Table shaped(Shape other) && { return {std::move(other), std::move(values)}; }
};

// The graph of a file that is being put together.
class Graph {
 public:
  Graph() = default;
  Graph(const Graph&) = delete;
  Graph& operator=(const Graph&) = delete;
  virtual ~Graph() = default;

  // These give the name of a value. `types`: of the results.
  virtual std::string call(std::string_view primitive, std::vector<std::string> inputs,
                           std::span<const TensorSpec> types, bool is_tuple,
                           const NamedList& attributes) = 0;
  virtual std::string constant(const Datum& value) = 0;
  virtual Emitter& emitter() = 0;
  // Sizes should not be named where it can be avoided.
  virtual bool is_for_all_sizes() const = 0;
  // The number by which an argument names a type.
  virtual std::int64_t type_number(DType dtype) const = 0;

  std::string part(const std::string& made, std::size_t index, const TensorSpec& type);
  std::string tuple_of(std::vector<std::string> names, std::span<const TensorSpec> types);
};

class Operand;

// Of a call. Without a shape, it is that of the operands stretched to each other; without a type,
// that of the first of them.
struct Result {
  std::optional<Shape> shape = {};
  std::optional<DType> dtype = {};
};

// A value of the graph.
class Symbol {
 public:
  Symbol() = default;  // an operand that is absent
  Symbol(Graph& graph, std::string name, DType dtype, Shape shape)
      : graph_(&graph), name_(std::move(name)), dtype_(dtype), shape_(std::move(shape)) {}

  bool defined() const { return graph_ != nullptr; }
  Graph& graph() const { return *graph_; }
  const std::string& name() const { return name_; }
  DType dtype() const { return dtype_; }
  const Shape& shape() const { return shape_; }
  std::int64_t size(std::int64_t axis) const { return shape_[static_cast<std::size_t>(axis)]; }
  std::int64_t rank() const { return static_cast<std::int64_t>(shape_.size()); }
  TensorSpec spec() const { return {dtype_, shape_}; }

  // A call with this as its first argument, with one result.
  Symbol add(std::string_view primitive) const;
  Symbol add(std::string_view primitive, const std::vector<Operand>& others, Result result = {},
             const NamedList& attributes = {}) const;
  // A call with a tuple of results; the first ones that somebody wants.
  std::vector<Symbol> several(std::string_view primitive, const std::vector<Operand>& others,
                              std::span<const TensorSpec> types, const NamedList& attributes,
                              std::optional<std::size_t> wanted = {}) const;

  // Constants, of this type unless another is named.
  Symbol number(const Datum& value, std::optional<DType> dtype = {}) const;
  Symbol number(double value) const { return number(Datum(value)); }
  Symbol table(const Table& numbers, std::optional<DType> dtype = {}) const;

  Symbol to(DType dtype) const { return dtype == dtype_ ? *this : cast(dtype); }
  // A conversion, also where the type is known to be the same in this package only.
  Symbol cast(DType dtype) const;
  Symbol reshape(const Shape& shape) const;
  Symbol transpose(IntList order) const;
  Symbol broadcast(const Shape& shape) const;
  // Stretched to a shape, which `other` has; then without naming it if that should be avoided.
  Symbol shaped_like(const Symbol& other, const Shape& shape) const;
  // Elements at places of one axis.
  Symbol take(const Symbol& places, std::int64_t axis) const;
  Symbol take(const Table& places, std::int64_t axis) const {
    return take(table(places, DType::Int32), axis);
  }
  // Chooses by this, a mask; one of the two is no number.
  Symbol where(const Operand& yes, const Operand& no) const;
  Symbol equals(const Operand& other) const;

 private:
  friend class Operand;
  std::string name_of(const Operand& other) const;
  std::vector<std::string> names_with(std::span<const Operand> others) const;

  Graph* graph_ = nullptr;
  std::string name_;
  DType dtype_ = DType::Float32;
  Shape shape_;
};

// What a call is given: a value, a number that becomes a tensor of the first argument's type, or a
// plain value.
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

Symbol operator+(const Symbol& x, const Operand& y);
Symbol operator-(const Symbol& x, const Operand& y);
Symbol operator*(const Symbol& x, const Operand& y);
Symbol operator/(const Symbol& x, const Operand& y);
Symbol operator-(const Symbol& x);
Symbol operator<(const Symbol& x, const Operand& y);
Symbol operator>(const Symbol& x, const Operand& y);

// A call whose argument is a tuple of values.
Symbol joined(std::string_view primitive, const std::vector<Symbol>& members, const Shape& shape,
              std::int64_t axis);

}  // namespace mycel::op::mindir
