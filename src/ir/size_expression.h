// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "tensor/tensor.h"

namespace mycel::ir {

using tensor::Tensor;

// A number of Python: an int that fits 64 bits, or a float.
struct SizeNumber {
  bool is_real = false;
  std::int64_t whole = 0;
  double real = 0;

  static SizeNumber of(std::int64_t value) { return {false, value, 0}; }
  static SizeNumber of(double value) { return {true, 0, value}; }
  double as_real() const { return is_real ? real : static_cast<double>(whole); }
};

enum class SizeOperation : std::uint8_t {
  Length,  // of an axis
  Number,
  Add,
  Subtract,
  Multiply,
  FloorDivide,
  Modulo,
  Divide,
  Negate,
};

enum class SizeComparison : std::uint8_t {
  Less,
  LessEqual,
  Equal,
  NotEqual,
  Greater,
  GreaterEqual
};

struct SizeExpression;
using SizeRef = std::shared_ptr<const SizeExpression>;

// How a number was computed from lengths of tensors, so that it can be computed again for others.
struct SizeExpression {
  SizeOperation operation = SizeOperation::Number;
  std::size_t value = 0;  // Length: of which of the tensors
  std::size_t axis = 0;
  SizeNumber number;  // Number
  SizeRef a, b;
};

SizeRef length_of(std::size_t value, std::size_t axis);
SizeRef number_size(SizeNumber number);
SizeRef combined_size(SizeOperation operation, SizeRef a, SizeRef b);

// What Python would answer; nothing where that is an error, a larger int, or another kind of number
// than is known here. Whoever asks then has to do without.
std::optional<SizeNumber> apply(SizeOperation operation, SizeNumber a, SizeNumber b = {});
std::optional<bool> compare(SizeComparison how, SizeNumber a, SizeNumber b);

// The length of an axis of a value; nothing: there is none.
using LengthReader =
    std::function<std::optional<std::int64_t>(std::size_t value, std::size_t axis)>;
std::optional<SizeNumber> evaluate(const SizeExpression& expression, const LengthReader& length);
std::optional<SizeNumber> evaluate(const SizeExpression& expression,
                                   std::span<const Tensor> values);

// What lengths are called.
using LengthNamer = std::function<std::string(std::size_t value, std::size_t axis)>;
std::string to_string(const SizeExpression& expression, const LengthNamer& name);
std::string to_string(const SizeExpression& expression);
std::string_view sign_of(SizeComparison how);

// The same with other lengths in the place of its own; null where one of them has no other.
SizeRef with_lengths(const SizeRef& expression,
                     const std::function<SizeRef(std::size_t value, std::size_t axis)>& other);

bool has_lengths(const SizeExpression& expression);

// What is known to hold.
struct SizeRelation {
  SizeRef a;
  SizeComparison how = SizeComparison::Equal;
  SizeRef b;
};
SizeComparison opposite(SizeComparison how);

}  // namespace mycel::ir
