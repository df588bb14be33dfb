// SPDX-License-Identifier: Apache-2.0
#include "operator/stored_call.h"

#include <utility>

#include "platform/error/error.h"

namespace mycel::op {

using platform::ErrorKind;

const Datum& StoredCall::operator[](std::string_view name) const {
  static const Datum none;
  for (std::size_t i = 0; i < names_.size(); ++i) {
    if (names_[i] == name && i < arguments_.size()) return arguments_[i];
  }
  const auto found = attributes_.find(name);
  return found == attributes_.end() ? none : found->second;
}

void StoredCall::wrong(std::string_view name, std::string_view expected) const {
  platform::fail(ErrorKind::Type, "For '", name_, "', the '", name, "' must be ", expected,
                 ", but got ", (*this)[name].type_name(), ".");
}

Value StoredCall::tensor(std::string_view name) const {
  Value value = operand_of((*this)[name], emitter_);
  if (!value.defined()) wrong(name, "a Tensor");
  return value;
}

Value StoredCall::optional_tensor(std::string_view name) const {
  return has(name) ? tensor(name) : Value();
}

ValueList StoredCall::tensors(std::string_view name) const {
  const Datum& datum = (*this)[name];
  if (!datum.is_sequence()) return {tensor(name)};
  ValueList values;
  for (const Datum& item : datum.items()) {
    values.push_back(operand_of(item, emitter_));
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

Datum StoredMapping::operator()(std::span<const Datum> arguments, const DatumMap& attributes,
                                Emitter& emitter) const {
  const StoredCall call(name, parameters, arguments, attributes, emitter);
  return compute(call).value;
}

namespace {

using MappingTable = std::map<std::pair<ModelFormat, std::string_view>, StoredMapping>;

MappingTable& mappings() {
  static MappingTable table;
  return table;
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
    mapping.parameters.push_back(parameters.substr(0, end));
    parameters.remove_prefix(std::min(end + 1, parameters.size()));
  }
  const bool is_new = mappings().emplace(std::pair{format, name}, std::move(mapping)).second;
  platform::require(is_new, ErrorKind::Internal, "two mappings are called ", name);
}

}  // namespace mycel::op
