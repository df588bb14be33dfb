// SPDX-License-Identifier: Apache-2.0
#include "operator/onnx_symbol.h"

#include <algorithm>
#include <array>
#include <optional>

#include "operator/stored_call.h"

namespace mycel::op::onnx {

namespace {

using Kinds = std::span<const std::string_view>;

constexpr std::array<std::string_view, 7> kTests{
    "Equal", "Less", "LessOrEqual", "Greater", "GreaterOrEqual", "IsNaN", "IsInf"};
constexpr std::array<std::string_view, 3> kCounts{"ArgMax", "ArgMin", "Shape"};
constexpr std::array<std::string_view, 18> kNotOfMasks{
    "Abs",       "Add",       "Sub",        "Mul",   "Max",         "Min",     "Neg",
    "Sign",      "Relu",      "Pow",        "Less",  "LessOrEqual", "Greater", "GreaterOrEqual",
    "ReduceMax", "ReduceMin", "ReduceProd", "CumSum"};
constexpr std::array<std::string_view, 2> kNotOfHalves{"Celu", "IsInf"};

bool holds(Kinds kinds, std::string_view kind) {
  return std::find(kinds.begin(), kinds.end(), kind) != kinds.end();
}

// The type through which a node must go that does not know the operand's own.
std::optional<DType> wider_type(std::string_view kind, DType dtype) {
  if (dtype == DType::Bool && holds(kNotOfMasks, kind)) return DType::Int32;
  if (tensor::is_half(dtype) && holds(kNotOfHalves, kind)) return DType::Float32;
  return std::nullopt;
}

}  // namespace

std::vector<std::string> Symbol::names_with(std::span<const Operand> others) const {
  std::vector<std::string> names{name_};
  for (const Operand& other : others) {
    if (other.is_symbol()) {
      names.push_back(other.symbol().name_);
    } else if (other.is_number()) {
      names.push_back(number(other.datum()).name_);
    } else if (other.datum().is_none()) {
      names.emplace_back();
    } else {
      IntList values;
      to_integers(other.datum(), values);
      names.push_back(ints(values).name_);
    }
  }
  return names;
}

Symbol Symbol::add(std::string_view kind, const std::vector<Operand>& others,
                   const NamedList& attributes) const {
  const bool is_test = holds(kTests, kind);
  if (const auto through = wider_type(kind, dtype_)) {
    std::vector<Operand> wide;
    for (const Operand& other : others)
      wide.push_back(other.is_symbol() ? Operand(other.symbol().to(*through)) : other);
    const Symbol result = to(*through).add(kind, wide, attributes);
    return is_test ? result : result.to(dtype_);
  }
  const DType type = is_test ? DType::Bool : holds(kCounts, kind) ? DType::Int64 : dtype_;
  return several(kind, others, std::span(&type, 1), attributes)[0];
}

std::vector<Symbol> Symbol::several(std::string_view kind, const std::vector<Operand>& others,
                                    std::span<const DType> types,
                                    const NamedList& attributes) const {
  const std::vector<std::string> names =
      graph_->add(kind, names_with(others), types.size(), attributes);
  std::vector<Symbol> made;
  for (std::size_t i = 0; i < names.size(); ++i) made.emplace_back(*graph_, names[i], types[i]);
  return made;
}

Symbol Symbol::number(const Datum& value) const {
  const Value made = tensor_of(value, dtype_, graph_->emitter());
  return {*graph_, graph_->constant(made.tensor()), dtype_};
}

Symbol Symbol::table(const Table& numbers) const {
  return {*graph_, graph_->constant(numbers.tensor(dtype_)), dtype_};
}

Symbol Symbol::ints(const IntList& values) const {
  const tensor::Tensor made =
      tensor::Tensor::empty({static_cast<std::int64_t>(values.size())}, DType::Int64);
  std::copy(values.begin(), values.end(), made.data<std::int64_t>());
  return {*graph_, graph_->constant(made), DType::Int64};
}

Symbol Symbol::to(DType dtype) const {
  if (dtype == dtype_) return *this;
  return several("Cast", {}, std::span(&dtype, 1), {{"to", stored_number(dtype)}})[0];
}

Symbol Symbol::where(const Operand& yes, const Operand& no) const {
  const Symbol& like = yes.is_symbol() ? yes.symbol() : no.symbol();
  const DType type = like.dtype_;
  const Symbol if_true = yes.beside(like);
  return several("Where", {if_true, no.beside(like)}, std::span(&type, 1), {})[0];
}

Symbol joined(const std::vector<Symbol>& parts, std::int64_t axis) {
  const std::vector<Operand> others(parts.begin() + 1, parts.end());
  return parts[0].add("Concat", others, {{"axis", axis}});
}

}  // namespace mycel::op::onnx
