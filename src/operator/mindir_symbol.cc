// SPDX-License-Identifier: Apache-2.0
#include "operator/mindir_symbol.h"

#include <algorithm>
#include <array>

#include "platform/error/error.h"

namespace mycel::op::mindir {

namespace {

constexpr std::array<std::string_view, 6> kComparisons{"Equal",     "NotEqual", "Less",
                                                       "LessEqual", "Greater",  "GreaterEqual"};

bool gives_mask(std::string_view primitive) {
  return std::find(kComparisons.begin(), kComparisons.end(), primitive) != kComparisons.end();
}

}  // namespace

std::string Graph::part(const std::string& made, std::size_t index, const TensorSpec& type) {
  const std::string place = constant(Plain(index).datum);
  return call("TupleGetItem", {made, place}, std::span(&type, 1), false, {});
}

std::string Graph::tuple_of(std::vector<std::string> names, std::span<const TensorSpec> types) {
  return call("MakeTuple", std::move(names), types, true, {});
}

std::string Symbol::name_of(const Operand& other) const {
  if (other.is_symbol()) return other.symbol().name_;
  return other.is_number() ? number(other.datum()).name_ : graph_->constant(other.datum());
}

std::vector<std::string> Symbol::names_with(std::span<const Operand> others) const {
  std::vector<std::string> names{name_};
  for (const Operand& other : others) names.push_back(name_of(other));
  return names;
}

Symbol Symbol::add(std::string_view primitive) const { return add(primitive, {}, {}); }

Symbol Symbol::add(std::string_view primitive, const std::vector<Operand>& others, Result result,
                   const NamedList& attributes) const {
  if (!result.shape) {
    result.shape = shape_;
    for (const Operand& other : others) {
      if (other.is_symbol())
        result.shape = tensor::broadcast_shapes(*result.shape, other.symbol().shape_, primitive);
    }
  }
  const DType usual = gives_mask(primitive) ? DType::Bool : dtype_;
  const TensorSpec type{result.dtype.value_or(usual), *result.shape};
  std::string name =
      graph_->call(primitive, names_with(others), std::span(&type, 1), false, attributes);
  return {*graph_, std::move(name), type.dtype, type.shape};
}

std::vector<Symbol> Symbol::several(std::string_view primitive, const std::vector<Operand>& others,
                                    std::span<const TensorSpec> types, const NamedList& attributes,
                                    std::optional<std::size_t> wanted) const {
  const std::string made = graph_->call(primitive, names_with(others), types, true, attributes);
  std::vector<Symbol> parts;
  for (std::size_t i = 0; i < wanted.value_or(types.size()); ++i)
    parts.emplace_back(*graph_, graph_->part(made, i, types[i]), types[i].dtype, types[i].shape);
  return parts;
}

Symbol Symbol::number(const Datum& value, std::optional<DType> dtype) const {
  const Value made = tensor_of(value, dtype.value_or(dtype_), graph_->emitter());
  return {*graph_, graph_->constant(Datum(made)), made.dtype(), made.shape()};
}

Symbol Symbol::table(const Table& numbers, std::optional<DType> dtype) const {
  const Tensor made = numbers.tensor(dtype.value_or(dtype_));
  const Value value(&graph_->emitter(), made);
  return {*graph_, graph_->constant(Datum(value)), made.dtype(), made.shape()};
}

Symbol Symbol::cast(DType dtype) const {
  return add("Cast", {Plain(graph_->type_number(dtype))}, {.dtype = dtype});
}

Symbol Symbol::reshape(const Shape& shape) const {
  return shape == shape_ ? *this : add("Reshape", {shape}, {.shape = shape});
}

Symbol Symbol::transpose(IntList order) const {
  bool is_same = true;
  Shape shape;
  for (std::size_t i = 0; i < order.size(); ++i) {
    if (order[i] < 0) order[i] += rank();
    is_same &= order[i] == static_cast<std::int64_t>(i);
    shape.push_back(size(order[i]));
  }
  return is_same ? *this : add("Transpose", {order}, {.shape = shape});
}

Symbol Symbol::broadcast(const Shape& shape) const {
  return shape == shape_ ? *this : add("BroadcastTo", {}, {.shape = shape}, {{"shape", shape}});
}

Symbol Symbol::shaped_like(const Symbol& other, const Shape& shape) const {
  if (!other.defined() || shape_ == shape || !graph_->is_for_all_sizes()) return broadcast(shape);
  const Symbol zeros = other.add("ZerosLike").to(dtype_);
  return dtype_ == DType::Bool ? add("LogicalOr", {zeros}) : *this + zeros;
}

Symbol Symbol::take(const Symbol& places, std::int64_t axis) const {
  Shape shape;
  for (std::int64_t i = 0; i < rank(); ++i) {
    if (i != axis) {
      shape.push_back(size(i));
    } else {
      for (const std::int64_t length : places.shape_) shape.push_back(length);
    }
  }
  return add("Gather", {places, Plain(axis)}, {.shape = shape}, {{"batch_dims", 0}});
}

Symbol Symbol::where(const Operand& yes, const Operand& no) const {
  const Symbol& like = yes.is_symbol() ? yes.symbol() : no.symbol();
  const Symbol first = yes.beside(like);
  const Symbol second = no.beside(like);
  Shape shape = tensor::broadcast_shapes(shape_, first.shape_, "where");
  shape = tensor::broadcast_shapes(shape, second.shape_, "where");
  Symbol whole;
  for (const Symbol* one : {this, &first, &second}) {
    if (!whole.defined() && one->shape_ == shape) whole = *one;
  }
  const Symbol choice = shaped_like(whole, shape);
  const Symbol if_true = first.shaped_like(whole, shape);
  const Symbol if_false = second.shaped_like(whole, shape);
  return choice.add("Select", {if_true, if_false}, {.shape = shape, .dtype = like.dtype_});
}

Symbol joined(std::string_view primitive, const std::vector<Symbol>& members, const Shape& shape,
              std::int64_t axis) {
  const Symbol& first = members.front();
  std::vector<std::string> names;
  std::vector<TensorSpec> types;
  for (const Symbol& member : members) {
    names.push_back(member.name());
    types.push_back(member.spec());
  }
  const std::string all = first.graph().tuple_of(std::move(names), types);
  const TensorSpec type{first.dtype(), shape};
  std::string name =
      first.graph().call(primitive, {all}, std::span(&type, 1), false, {{"axis", axis}});
  return {first.graph(), std::move(name), type.dtype, shape};
}

}  // namespace mycel::op::mindir
