// SPDX-License-Identifier: Apache-2.0
// How the operators of model files are computed with those of the registry. A mapping stands in the
// file of the operator it ends in, beside its schema.
#pragma once

#include <initializer_list>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "operator/datum.h"

namespace mycel::op {

using DatumMap = std::map<std::string, Datum, std::less<>>;
struct StoredMapping;

// What a file gives to one use of an operator.
struct StoredUse {
  std::span<const Datum> arguments;
  const DatumMap& attributes;
  Emitter& emitter;
  int version = 0;          // of the operators, where files tell one
  std::size_t results = 1;  // how many are wanted
};

// One use of an operator in a file. What it is given is asked for by the names that the mapping was
// registered with, whether the file has it among the arguments or as an attribute.
class StoredCall {
 public:
  StoredCall(const StoredMapping& mapping, const StoredUse& use) : mapping_(mapping), use_(use) {}

  std::string_view name() const;
  Emitter& emitter() const { return use_.emitter; }
  std::span<const Datum> arguments() const { return use_.arguments; }
  int version() const { return use_.version; }
  std::size_t results() const { return use_.results; }

  const Datum& operator[](std::string_view name) const;  // None where nothing is given
  bool has(std::string_view name) const { return !(*this)[name].is_none(); }
  Value tensor(std::string_view name) const;           // an error where there is none
  Value optional_tensor(std::string_view name) const;  // undefined where there is none
  ValueList tensors(std::string_view name) const;      // of a sequence, all of `name...`, or one
  std::int64_t integer(std::string_view name) const;
  std::int64_t integer(std::string_view name, std::int64_t otherwise) const;
  double real(std::string_view name, double otherwise) const;
  std::vector<double> reals(std::string_view name) const;  // of a tensor too
  bool flag(std::string_view name, bool otherwise) const;
  std::string text(std::string_view name, std::string_view otherwise) const;
  IntList integers(std::string_view name) const;
  IntList flat_integers(std::string_view name) const;  // of pairs, and the like

  Value call(std::string_view op, std::initializer_list<Value> inputs,
             std::initializer_list<NamedAttribute> attributes = {}) const {
    return use_.emitter.call(op, inputs, attributes);
  }
  Value call(std::string_view op, const ValueList& inputs,
             std::initializer_list<NamedAttribute> attributes = {}) const {
    return use_.emitter.call_all(op, inputs, attributes).front();
  }
  ValueList call_all(std::string_view op, std::initializer_list<Value> inputs,
                     std::initializer_list<NamedAttribute> attributes = {}) const {
    return use_.emitter.call_all(op, inputs, attributes);
  }
  Value cast(const Value& value, DType dtype) const {
    return value.dtype() == dtype ? value : call("cast", {value}, {{"dtype", dtype}});
  }
  Value reshape(const Value& value, IntList shape) const {
    return call("reshape", {value}, {{"shape", std::move(shape)}});
  }
  Value constant(tensor::Tensor tensor) const { return {&use_.emitter, std::move(tensor)}; }

  template <class... Parts>
  void require(bool ok, platform::ErrorKind kind, const Parts&... parts) const {
    if (!ok) [[unlikely]]
      platform::fail(kind, "For '", name(), "', ", parts...);
  }
  // This form of the operator is not there.
  template <class... Parts>
  [[noreturn]] void refuse(const Parts&... parts) const {
    platform::fail(platform::ErrorKind::NotImplemented, "For '", name(), "', ", parts...,
                   " is not supported.");
  }

 private:
  [[noreturn]] void wrong(std::string_view name, std::string_view expected) const;
  int place_of(std::string_view name) const;  // among the arguments; -1: it is none

  const StoredMapping& mapping_;
  const StoredUse& use_;
};

// What a mapping gives: a Datum, a tensor, or several.
struct StoredResult {
  StoredResult(Datum datum) : value(std::move(datum)) {}
  StoredResult(Value tensor) : value(std::move(tensor)) {}
  StoredResult(const ValueList& tensors) : value(Datum::tuple(tensors)) {}
  Datum value;
};

enum class ModelFormat : std::uint8_t { MindIR, Onnx };

// What an operator of a file is given, in order.
struct StoredParameter {
  std::string_view name;
  bool is_rest = false;      // it and all that follow
  bool is_numbers = false;   // read before the operator runs: a shape, limits, a scale
  bool is_measured = false;  // only its shape and type are looked at
};

struct StoredMapping {
  ModelFormat format;
  std::string_view name;
  std::vector<StoredParameter> parameters;
  StoredResult (*compute)(const StoredCall& call);
  std::string_view op = {};  // of the registry, that it is the same as; then nothing is computed

  Datum operator()(const StoredUse& use) const;
};

const StoredMapping* find_mapping(ModelFormat format, std::string_view name);

class MappingRegistration {
 public:
  // Names of what it is given, separated by blanks. `name...`: it and all that follow;
  // `name.numbers`: read before the operator runs; `name.shape`: only its shape and type are looked
  // at.
  MappingRegistration(ModelFormat format, std::string_view name, std::string_view parameters,
                      StoredResult (*compute)(const StoredCall& call));
};

// Operators of ONNX files that are each one of the registry, with the same inputs and no
// attributes:
//   const op::OnnxNames onnx_names{{"Add", "add"}, {"Sub", "sub"}};
class OnnxNames {
 public:
  OnnxNames(std::initializer_list<std::pair<std::string_view, std::string_view>> names);
};

#define MYCEL_STORED(format, prefix, stored_name, parameters)                           \
  static ::mycel::op::StoredResult prefix##stored_name(const ::mycel::op::StoredCall&); \
  static const ::mycel::op::MappingRegistration register_##prefix##stored_name(         \
      ::mycel::op::ModelFormat::format, #stored_name, parameters, prefix##stored_name); \
  static ::mycel::op::StoredResult prefix##stored_name(                                 \
      [[maybe_unused]] const ::mycel::op::StoredCall& call)

// An operator of MindIR files that is computed with others:
//   MYCEL_MINDIR(SquareSumAll, "x1 x2") { return ...; }
#define MYCEL_MINDIR(stored_name, parameters) MYCEL_STORED(MindIR, mindir_, stored_name, parameters)

// An operator of ONNX files; its inputs are named, and attributes are asked for by their names:
//   MYCEL_ONNX(Reshape, "data shape.numbers") { return ...; }
#define MYCEL_ONNX(stored_name, parameters) MYCEL_STORED(Onnx, onnx_, stored_name, parameters)

// Some positions of an axis, one after the other.
Value positions(const Value& x, std::int64_t axis, std::int64_t first, std::int64_t count);
// One position of the first axis, without that axis.
Value row(const Value& x, std::int64_t index);

// The type that files of both formats have under a number.
std::optional<DType> stored_type(std::int64_t number);
std::int64_t stored_number(DType dtype);

}  // namespace mycel::op
