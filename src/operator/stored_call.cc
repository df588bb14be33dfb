// SPDX-License-Identifier: Apache-2.0
#include "operator/stored_call.h"

#include <algorithm>
#include <array>
#include <utility>

#include "operator/op_def.h"
#include "operator/registry.h"
#include "platform/error/error.h"

namespace mycel::op {

using platform::ErrorKind;

std::string_view StoredCall::name() const { return mapping_.name; }

int StoredCall::place_of(std::string_view name) const {
  for (std::size_t i = 0; i < mapping_.parameters.size(); ++i)
    if (mapping_.parameters[i].name == name) return static_cast<int>(i);
  return -1;
}

const Datum& StoredCall::operator[](std::string_view name) const {
  static const Datum none;
  const auto place = static_cast<std::size_t>(place_of(name));  // of none: beyond all
  if (place < use_.arguments.size() && !use_.arguments[place].is_none())
    return use_.arguments[place];
  const auto found = use_.attributes.find(name);
  return found == use_.attributes.end() ? none : found->second;
}

void StoredCall::wrong(std::string_view name, std::string_view expected) const {
  if (!has(name))
    platform::fail(ErrorKind::Type, "For '", this->name(), "', there is no ",
                   place_of(name) < 0 ? "attribute" : "input", " '", name, "'.");
  platform::fail(ErrorKind::Type, "For '", this->name(), "', the '", name, "' must be ", expected,
                 ", but got ", (*this)[name].type_name(), ".");
}

Value StoredCall::tensor(std::string_view name) const {
  Value value = operand_of((*this)[name], emitter());
  if (!value.defined()) wrong(name, "a Tensor");
  return value;
}

Value StoredCall::optional_tensor(std::string_view name) const {
  return has(name) ? tensor(name) : Value();
}

ValueList StoredCall::tensors(std::string_view name) const {
  const Datum& datum = (*this)[name];
  const int place = place_of(name);
  const bool is_rest = place >= 0 && mapping_.parameters[static_cast<std::size_t>(place)].is_rest;
  if (!is_rest && !datum.is_sequence()) return {tensor(name)};
  const std::span<const Datum> items =
      is_rest
          ? use_.arguments.subspan(std::min(static_cast<std::size_t>(place), use_.arguments.size()))
          : std::span(datum.items());
  ValueList values;
  for (const Datum& item : items) {
    values.push_back(operand_of(item, emitter()));
    if (!values.back().defined()) wrong(name, "a sequence of Tensors");
  }
  return values;
}

std::int64_t StoredCall::integer(std::string_view name) const {
  std::int64_t value = 0;
  if (!to_integer((*this)[name], value)) wrong(name, "int");
  return value;
}

std::int64_t StoredCall::integer(std::string_view name, std::int64_t otherwise) const {
  return has(name) ? integer(name) : otherwise;
}

double StoredCall::real(std::string_view name, double otherwise) const {
  double value = otherwise;
  if (has(name) && !to_real((*this)[name], value)) wrong(name, "float");
  return value;
}

std::vector<double> StoredCall::reals(std::string_view name) const {
  std::vector<double> values;
  if (!to_flat_reals((*this)[name], values)) wrong(name, "float, or a sequence of float");
  return values;
}

bool StoredCall::flag(std::string_view name, bool otherwise) const {
  return has(name) ? integer(name) != 0 : otherwise;
}

std::string StoredCall::text(std::string_view name, std::string_view otherwise) const {
  if (!has(name)) return std::string(otherwise);
  if (!(*this)[name].is_text()) wrong(name, "str");
  return (*this)[name].text();
}

IntList StoredCall::integers(std::string_view name) const {
  IntList values;
  if (!to_integers((*this)[name], values)) wrong(name, "int, or a sequence of int");
  return values;
}

IntList StoredCall::flat_integers(std::string_view name) const {
  IntList values;
  if (!to_flat_integers((*this)[name], values)) wrong(name, "int, or sequences of int");
  return values;
}

namespace {

// The operator of the registry, given what the file gives.
Datum same_as(std::string_view op, const StoredCall& call) {
  const OpDef& definition = find(op);
  const std::size_t given = call.arguments().size();
  ValueList inputs;
  for (const Datum& argument : call.arguments())
    inputs.push_back(argument.is_none() ? Value() : operand_of(argument, call.emitter()));
  call.require(given == definition.inputs.size(), ErrorKind::Type, "there must be ",
               definition.inputs.size(), " inputs, but got ", given, ".");
  for (std::size_t i = 0; i < given; ++i)
    call.require(inputs[i].defined() || definition.inputs[i].optional, ErrorKind::Type,
                 "there is no input '", definition.inputs[i].name, "'.");
  const ValueList outputs = call.emitter().call_all(op, inputs, {});
  return outputs.size() == 1 ? Datum(outputs.front()) : Datum::tuple(outputs);
}

}  // namespace

Datum StoredMapping::operator()(const StoredUse& use) const {
  const StoredCall call(*this, use);
  if (!op.empty()) return same_as(op, call);
  if (format == ModelFormat::Onnx) {
    const bool takes_any = !parameters.empty() && parameters.back().is_rest;
    call.require(takes_any || use.arguments.size() <= parameters.size(), ErrorKind::Type,
                 "there may be ", parameters.size(), " inputs, but got ", use.arguments.size(),
                 ".");
  }
  return compute(call).value;
}

namespace {

using MappingTable = std::map<std::pair<ModelFormat, std::string_view>, StoredMapping>;

MappingTable& mappings() {
  static MappingTable table;
  return table;
}

void add(StoredMapping mapping) {
  const std::pair key{mapping.format, mapping.name};
  const bool is_new = mappings().emplace(key, std::move(mapping)).second;
  platform::require(is_new, ErrorKind::Internal, "two mappings are called ", key.second);
}

bool take_ending(std::string_view& text, std::string_view ending) {
  if (!text.ends_with(ending)) return false;
  text.remove_suffix(ending.size());
  return true;
}

StoredParameter parameter_of(std::string_view text) {
  StoredParameter parameter;
  parameter.is_rest = take_ending(text, "...");
  parameter.is_numbers = take_ending(text, ".numbers");
  parameter.is_measured = take_ending(text, ".shape");
  parameter.name = text;
  return parameter;
}

}  // namespace

const StoredMapping* find_mapping(ModelFormat format, std::string_view name) {
  const auto found = mappings().find({format, name});
  return found == mappings().end() ? nullptr : &found->second;
}

MappingRegistration::MappingRegistration(ModelFormat format, std::string_view name,
                                         std::string_view parameters,
                                         StoredResult (*compute)(const StoredCall& call)) {
  StoredMapping mapping{format, name, {}, compute};
  while (!parameters.empty()) {
    const std::size_t end = std::min(parameters.find(' '), parameters.size());
    mapping.parameters.push_back(parameter_of(parameters.substr(0, end)));
    parameters.remove_prefix(std::min(end + 1, parameters.size()));
  }
  add(std::move(mapping));
}

OnnxNames::OnnxNames(std::initializer_list<std::pair<std::string_view, std::string_view>> names) {
  for (const auto& [name, op] : names) add({ModelFormat::Onnx, name, {}, nullptr, op});
}

namespace {

// `length` of none: the axis is left out.
Value window(const Value& x, std::int64_t axis, std::int64_t first,
             std::optional<std::int64_t> length) {
  const tensor::Shape shape = x.shape();
  const auto place = static_cast<std::size_t>(axis);
  platform::require(place < shape.size() && first >= 0 && length.value_or(1) >= 0 &&
                        first <= shape[place] - length.value_or(1),
                    ErrorKind::Value, "There are no positions ", first, " to ",
                    first + length.value_or(1), " on axis ", axis, " of a tensor with the shape ",
                    shape, ".");
  IntList begin(shape.size(), 0), lengths = shape, step(shape.size(), 1), axes;
  begin[place] = first;
  lengths[place] = length.value_or(1);
  for (std::int64_t i = 0; i < x.rank(); ++i)
    if (length || i != axis) axes.push_back(i);
  return x.emitter().call("index_view", {x},
                          {{"begin", begin}, {"length", lengths}, {"step", step}, {"axes", axes}});
}

}  // namespace

Value positions(const Value& x, std::int64_t axis, std::int64_t first, std::int64_t count) {
  return window(x, axis, first, count);
}

Value row(const Value& x, std::int64_t index) { return window(x, 0, index, std::nullopt); }

std::optional<DType> stored_type(std::int64_t number) {
  constexpr std::array<std::optional<DType>, 17> kTypes{
      std::nullopt,      DType::Float32, DType::UInt8,  DType::Int8,   DType::UInt16,
      DType::Int16,      DType::Int32,   DType::Int64,  std::nullopt,  DType::Bool,
      DType::Float16,    DType::Float64, DType::UInt32, DType::UInt64, DType::Complex64,
      DType::Complex128, DType::BFloat16};
  if (number < 0 || number >= static_cast<std::int64_t>(kTypes.size())) return std::nullopt;
  return kTypes[static_cast<std::size_t>(number)];
}

std::int64_t stored_number(DType dtype) {
  std::int64_t number = 1;
  while (stored_type(number) != dtype) ++number;  // there is one for every type
  return number;
}

}  // namespace mycel::op
