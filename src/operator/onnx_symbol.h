// SPDX-License-Identifier: Apache-2.0
// Values of the graph of an ONNX file that is being written. `x * 2 + x.add("Sqrt")` adds the nodes
// Mul, Sqrt and Add.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "operator/written_operand.h"

namespace mycel::op::onnx {

using tensor::Shape;
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

  // Adds a node, whose outputs have the names that it gives; an absent input is an empty name.
  virtual std::vector<std::string> add(std::string_view kind, std::vector<std::string> inputs,
                                       std::size_t outputs, const NamedList& attributes) = 0;
  virtual std::string constant(const tensor::Tensor& value) = 0;
  virtual Emitter& emitter() = 0;
};

// A value of the graph.
class Symbol : public written::Arithmetic<Symbol> {
 public:
  static constexpr std::string_view kDivision = "Div", kModulo = "Mod", kMaximum = "Max",
                                    kMinimum = "Min", kLessOrEqual = "LessOrEqual",
                                    kGreaterOrEqual = "GreaterOrEqual";

  Symbol() = default;  // an operand that is absent
  Symbol(Graph& graph, std::string name, DType dtype)
      : graph_(&graph), name_(std::move(name)), dtype_(dtype) {}

  bool defined() const { return graph_ != nullptr; }
  const std::string& name() const { return name_; }
  DType dtype() const { return dtype_; }

  // A node with this as its first input; numbers among the others get this type, lists are lists of
  // whole numbers, as ONNX takes axes and shapes.
  Symbol add(std::string_view kind, const std::vector<Operand>& others = {},
             const NamedList& attributes = {}) const;
  // A node with several outputs, of these types.
  std::vector<Symbol> several(std::string_view kind, const std::vector<Operand>& others,
                              std::span<const DType> types, const NamedList& attributes) const;

  // Constants, of this type.
  Symbol number(const Datum& value) const;
  Symbol number(double value) const { return number(Datum(value)); }
  Symbol table(const Table& numbers) const;

  Symbol to(DType dtype) const;
  Symbol reshape(const Shape& shape) const { return add("Reshape", {shape}); }
  Symbol expand(const Shape& shape) const { return add("Expand", {shape}); }
  Symbol transpose(const IntList& order) const { return add("Transpose", {}, {{"perm", order}}); }
  Symbol unsqueeze(const IntList& axes) const { return add("Unsqueeze", {axes}); }
  Symbol squeeze(const IntList& axes) const { return add("Squeeze", {axes}); }
  // Elements at places of one axis.
  Symbol take(const Operand& places, std::int64_t axis) const {
    return add("Gather", {places}, {{"axis", axis}});
  }
  // Chooses by this, a mask; one of the two is no number.
  Symbol where(const Operand& yes, const Operand& no) const;

 private:
  std::vector<std::string> names_with(std::span<const Operand> others) const;
  Symbol ints(const IntList& values) const;  // of whole numbers, whatever this is

  Graph* graph_ = nullptr;
  std::string name_;
  DType dtype_ = DType::Float32;
};

Symbol joined(const std::vector<Symbol>& parts, std::int64_t axis);

}  // namespace mycel::op::onnx
