// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "operator/attribute.h"
#include "operator/op_def.h"
#include "operator/value.h"

namespace mycel::op {

// What only the reader of a file knows: a function, the order of effects, a named thing.
class Opaque {
 public:
  Opaque() = default;
  Opaque(const Opaque&) = delete;
  Opaque& operator=(const Opaque&) = delete;
  virtual ~Opaque() = default;
  virtual std::string_view kind() const = 0;  // for messages
};

class Datum;

struct DatumSequence {
  std::vector<Datum> items;
  bool is_list = false;  // otherwise a tuple
};

// A value of a program that was stored in a file: a tensor, or a plain value as Python has them.
class Datum {
 public:
  Datum() = default;  // None
  explicit Datum(bool value) : content_(value) {}
  explicit Datum(std::int64_t value) : content_(value) {}
  explicit Datum(double value) : content_(value) {}
  explicit Datum(std::string value) : content_(std::move(value)) {}
  explicit Datum(DType value) : content_(value) {}
  explicit Datum(Value value) : content_(std::move(value)) {}
  explicit Datum(std::shared_ptr<const Opaque> value) : content_(std::move(value)) {}
  static Datum tuple(std::vector<Datum> items);
  static Datum list(std::vector<Datum> items);
  static Datum tuple(const ValueList& values);
  static Datum tuple(const tensor::Shape& lengths);

  bool is_none() const { return std::holds_alternative<std::monostate>(content_); }
  bool is_bool() const { return std::holds_alternative<bool>(content_); }
  bool is_int() const { return std::holds_alternative<std::int64_t>(content_); }
  bool is_real() const { return std::holds_alternative<double>(content_); }
  bool is_number() const { return is_bool() || is_int() || is_real(); }
  bool is_text() const { return std::holds_alternative<std::string>(content_); }
  bool is_dtype() const { return std::holds_alternative<DType>(content_); }
  bool is_tensor() const { return std::holds_alternative<Value>(content_); }
  bool is_sequence() const {
    return std::holds_alternative<std::shared_ptr<const DatumSequence>>(content_);
  }
  bool is_list() const { return is_sequence() && sequence().is_list; }

  // These are for whoever has asked before.
  bool flag() const { return std::get<bool>(content_); }
  std::int64_t integer() const { return std::get<std::int64_t>(content_); }
  double real() const { return std::get<double>(content_); }
  const std::string& text() const { return std::get<std::string>(content_); }
  DType dtype() const { return std::get<DType>(content_); }
  const Value& tensor() const { return std::get<Value>(content_); }
  const DatumSequence& sequence() const {
    return *std::get<std::shared_ptr<const DatumSequence>>(content_);
  }
  const std::vector<Datum>& items() const { return sequence().items; }
  // As that kind of thing; null: it is another.
  template <class Kind>
  std::shared_ptr<const Kind> opaque() const {
    const auto* held = std::get_if<std::shared_ptr<const Opaque>>(&content_);
    return held == nullptr ? nullptr : std::dynamic_pointer_cast<const Kind>(*held);
  }
  bool is_opaque() const { return std::holds_alternative<std::shared_ptr<const Opaque>>(content_); }
  bool is_same_object(const Datum& other) const;  // no look into tensors

  std::string type_name() const;  // "int", "Tensor", "tuple", ...

 private:
  std::variant<std::monostate, bool, std::int64_t, double, std::string, DType, Value,
               std::shared_ptr<const DatumSequence>, std::shared_ptr<const Opaque>>
      content_;
};

// In the order in which they were put in.
class Dictionary final : public Opaque {
 public:
  explicit Dictionary(std::vector<std::pair<Datum, Datum>> its_entries)
      : entries(std::move(its_entries)) {}
  std::string_view kind() const override { return "dict"; }
  const std::vector<std::pair<Datum, Datum>> entries;
};

// A whole number that only 64 bits without a sign hold; operators do not take it.
class LargeNumber final : public Opaque {
 public:
  explicit LargeNumber(std::uint64_t number) : value(number) {}
  std::string_view kind() const override { return "int"; }
  const std::uint64_t value;
};

// Numbers and tensors of one element; false: it is something else, or a number with a fraction.
bool to_integer(const Datum& datum, std::int64_t& value);
bool to_real(const Datum& datum, double& value);
// A number, a sequence of them, or a tensor of at most one axis.
bool to_integers(const Datum& datum, IntList& values);
// The same of sequences in sequences and of tensors with any number of axes, one after the other.
bool to_flat_integers(const Datum& datum, IntList& values);
bool to_flat_reals(const Datum& datum, std::vector<double>& values);
// As Python's bool(): a tensor must have one element.
bool truth_of(const Datum& datum);

// A tensor as it is; a number as one that does not widen the other operand; a sequence of numbers,
// also nested, as a new tensor. Undefined for everything else.
Value operand_of(const Datum& datum, Emitter& emitter);

// Numbers, also in nested sequences, as a new tensor of a type; without one, of int64, float32 or
// bool as they are. A tensor is converted. Undefined for everything else.
Value tensor_of(const Datum& datum, std::optional<DType> dtype, Emitter& emitter);

// What an attribute of an operator is to hold; TypeError or ValueError that name both.
AttributeValue attribute_of(const Datum& datum, const AttributeDef& definition,
                            std::string_view op);

}  // namespace mycel::op
