// SPDX-License-Identifier: Apache-2.0
// What rules are written with that say what an operator becomes in a MindIR file: values of the
// graph being written. `x * 2 + x.add("Sqrt")` adds calls of the primitives Mul, Sqrt and Add.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "operator/written_operand.h"

namespace mycel::op::mindir {

using tensor::Shape;
using tensor::Tensor;

using written::Named;
using written::NamedList;
using written::Plain;
using written::Table;
class Symbol;
using Operand = written::Operand<Symbol>;

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

// Of a call. Without a shape, it is that of the operands stretched to each other; without a type,
// that of the first of them.
struct Result {
  std::optional<Shape> shape = {};
  std::optional<DType> dtype = {};
};

// A value of the graph.
class Symbol : public written::Arithmetic<Symbol> {
 public:
  static constexpr std::string_view kDivision = "RealDiv", kModulo = "FloorMod",
                                    kMaximum = "Maximum", kMinimum = "Minimum",
                                    kLessOrEqual = "LessEqual", kGreaterOrEqual = "GreaterEqual";

  Symbol() = default;  // an operand that is absent
  Symbol(Graph& graph, std::string name, DType dtype, Shape shape = {})
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

 private:
  std::string name_of(const Operand& other) const;
  std::vector<std::string> names_with(std::span<const Operand> others) const;

  Graph* graph_ = nullptr;
  std::string name_;
  DType dtype_ = DType::Float32;
  Shape shape_;
};

// A call whose argument is a tuple of values.
Symbol joined(std::string_view primitive, const std::vector<Symbol>& members, const Shape& shape,
              std::int64_t axis);

}  // namespace mycel::op::mindir
