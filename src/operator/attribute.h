// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "tensor/dtype.h"
#include "tensor/shape.h"

namespace mycel::op {

using tensor::DType;
using tensor::IntList;

// What an attribute may hold. Conversion from Python follows the type, so kernels can rely on it.
enum class AttributeType : std::uint8_t {
  Bool,
  Int,
  Float,   // accepts an int too
  Number,  // int stays int, float stays float
  Text,
  DType,
  Ints,  // a list; one int is taken as a list of one
  Floats,
};
std::string_view name_of(AttributeType type);

// None (not given), or a value.
class AttributeValue {
 public:
  AttributeValue() = default;
  AttributeValue(bool value) : content_(value) {}
  AttributeValue(int value) : content_(static_cast<std::int64_t>(value)) {}
  AttributeValue(std::int64_t value) : content_(value) {}
  AttributeValue(double value) : content_(value) {}
  AttributeValue(const char* value) : content_(std::string(value)) {}
  AttributeValue(std::string value) : content_(std::move(value)) {}
  AttributeValue(DType value) : content_(value) {}
  AttributeValue(IntList value) : content_(std::move(value)) {}
  AttributeValue(std::vector<double> value) : content_(std::move(value)) {}

  bool is_none() const { return std::holds_alternative<std::monostate>(content_); }
  bool is_int() const { return std::holds_alternative<std::int64_t>(content_); }
  bool is_bool() const { return std::holds_alternative<bool>(content_); }
  bool is_float() const { return std::holds_alternative<double>(content_); }
  bool is_text() const { return std::holds_alternative<std::string>(content_); }
  bool is_dtype() const { return std::holds_alternative<DType>(content_); }
  bool is_ints() const { return std::holds_alternative<IntList>(content_); }
  bool is_floats() const { return std::holds_alternative<std::vector<double>>(content_); }

  // Reading as another type than what is held is our own bug and throws Internal, except that a
  // number of any kind reads as a double and an int as a list of one.
  bool flag() const;
  std::int64_t integer() const;
  double real() const;
  const std::string& text() const;
  DType dtype() const;
  IntList ints() const;
  const std::vector<double>& reals() const;

  bool operator==(const AttributeValue&) const = default;

 private:
  std::variant<std::monostate, bool, std::int64_t, double, std::string, DType, IntList,
               std::vector<double>>
      content_;
};

std::string to_string(const AttributeValue& value);

// In the order of the operator's schema.
using AttributeList = std::vector<AttributeValue>;

// By name, for calls written in C++.
struct NamedAttribute {
  std::string_view name;
  AttributeValue value;
};

}  // namespace mycel::op
