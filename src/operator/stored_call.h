// SPDX-License-Identifier: Apache-2.0
// How the operators of model files are computed with those of the registry. A mapping stands in the
// file of the operator it ends in, beside its schema.
#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "operator/datum.h"

namespace mycel::op {

using DatumMap = std::map<std::string, Datum, std::less<>>;

// One use of an operator in a file. What it is given is asked for by the names that the mapping was
// registered with, whether the file has it among the arguments or as an attribute.
class StoredCall {
 public:
  StoredCall(std::string_view name, std::span<const std::string_view> names,
             std::span<const Datum> arguments, const DatumMap& attributes, Emitter& emitter)
      : name_(name),
        names_(names),
        arguments_(arguments),
        attributes_(attributes),
        emitter_(emitter) {}

  std::string_view name() const { return name_; }
  Emitter& emitter() const { return emitter_; }
  std::span<const Datum> arguments() const { return arguments_; }

  const Datum& operator[](std::string_view name) const;  // None where nothing is given
  bool has(std::string_view name) const { return !(*this)[name].is_none(); }
  Value tensor(std::string_view name) const;           // an error where there is none
  Value optional_tensor(std::string_view name) const;  // undefined where there is none
  ValueList tensors(std::string_view name) const;      // of a sequence, or one alone
  std::int64_t integer(std::string_view name) const;
  std::int64_t integer(std::string_view name, std::int64_t otherwise) const;
  double real(std::string_view name, double otherwise) const;
  bool flag(std::string_view name, bool otherwise) const;
  std::string text(std::string_view name, std::string_view otherwise) const;
  IntList integers(std::string_view name) const;
  IntList flat_integers(std::string_view name) const;  // of pairs, and the like

  Value call(std::string_view op, std::initializer_list<Value> inputs,
             std::initializer_list<NamedAttribute> attributes = {}) const {
    return emitter_.call(op, inputs, attributes);
  }
  ValueList call_all(std::string_view op, std::initializer_list<Value> inputs,
                     std::initializer_list<NamedAttribute> attributes = {}) const {
    return emitter_.call_all(op, inputs, attributes);
  }

  template <class... Parts>
  void require(bool ok, platform::ErrorKind kind, const Parts&... parts) const {
    if (!ok) [[unlikely]]
      platform::fail(kind, "For '", name_, "', ", parts...);
  }

 private:
  [[noreturn]] void wrong(std::string_view name, std::string_view expected) const;

  std::string_view name_;
  std::span<const std::string_view> names_;
  std::span<const Datum> arguments_;
  const DatumMap& attributes_;
  Emitter& emitter_;
};

// What a mapping gives: a Datum, a tensor, or several.
struct StoredResult {
  StoredResult(Datum datum) : value(std::move(datum)) {}
  StoredResult(Value tensor) : value(std::move(tensor)) {}
  StoredResult(const ValueList& tensors) : value(Datum::tuple(tensors)) {}
  Datum value;
};

enum class ModelFormat : std::uint8_t { MindIR, Onnx };

struct StoredMapping {
  ModelFormat format;
  std::string_view name;
  std::vector<std::string_view> parameters;
  StoredResult (*compute)(const StoredCall& call);

  Datum operator()(std::span<const Datum> arguments, const DatumMap& attributes,
                   Emitter& emitter) const;
};

const StoredMapping* find_mapping(ModelFormat format, std::string_view name);

// Names of what it is given, separated by blanks.
class MappingRegistration {
 public:
  MappingRegistration(ModelFormat format, std::string_view name, std::string_view parameters,
                      StoredResult (*compute)(const StoredCall& call));
};

// An operator of MindIR files that is computed with others:
//   MYCEL_MINDIR(SquareSumAll, "x1 x2") { return ...; }
#define MYCEL_MINDIR(stored_name, parameters)                                            \
  static ::mycel::op::StoredResult mindir_##stored_name(const ::mycel::op::StoredCall&); \
  static const ::mycel::op::MappingRegistration register_mindir_##stored_name(           \
      ::mycel::op::ModelFormat::MindIR, #stored_name, parameters, mindir_##stored_name); \
  static ::mycel::op::StoredResult mindir_##stored_name(                                 \
      [[maybe_unused]] const ::mycel::op::StoredCall& call)

}  // namespace mycel::op
