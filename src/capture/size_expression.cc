// SPDX-License-Identifier: Apache-2.0
#include "capture/size_expression.h"

#include <limits>

#include "platform/error/error.h"

namespace mycel::capture {
namespace {

constexpr std::int64_t kMostExact = std::int64_t{1} << 53;  // ints below are doubles without loss

bool is_exact(SizeNumber number) {
  return number.is_real || (-kMostExact < number.whole && number.whole < kMostExact);
}

std::optional<SizeNumber> divided_down(std::int64_t a, std::int64_t b, bool remainder) {
  if (b == 0 || (a == std::numeric_limits<std::int64_t>::min() && b == -1)) return std::nullopt;
  std::int64_t quotient = a / b;
  std::int64_t rest = a % b;
  if (rest != 0 && (rest < 0) != (b < 0)) {
    --quotient;
    rest += b;
  }
  return SizeNumber::of(remainder ? rest : quotient);
}

std::optional<SizeNumber> apply_whole(SizeOperation operation, std::int64_t a, std::int64_t b) {
  std::int64_t result = 0;
  bool overflows = true;
  switch (operation) {
    case SizeOperation::Add: overflows = __builtin_add_overflow(a, b, &result); break;
    case SizeOperation::Subtract: overflows = __builtin_sub_overflow(a, b, &result); break;
    case SizeOperation::Multiply: overflows = __builtin_mul_overflow(a, b, &result); break;
    case SizeOperation::FloorDivide: return divided_down(a, b, false);
    case SizeOperation::Modulo: return divided_down(a, b, true);
    case SizeOperation::Negate:
      overflows = __builtin_sub_overflow(std::int64_t{0}, a, &result);
      break;
    default: break;
  }
  if (overflows) return std::nullopt;
  return SizeNumber::of(result);
}

std::optional<SizeNumber> apply_real(SizeOperation operation, double a, double b) {
  switch (operation) {
    case SizeOperation::Add: return SizeNumber::of(a + b);
    case SizeOperation::Subtract: return SizeNumber::of(a - b);
    case SizeOperation::Multiply: return SizeNumber::of(a * b);
    case SizeOperation::Divide:
      if (b == 0) return std::nullopt;
      return SizeNumber::of(a / b);
    case SizeOperation::Negate: return SizeNumber::of(-a);
    default: return std::nullopt;
  }
}

template <class T>
bool compare_as(SizeComparison how, T a, T b) {
  switch (how) {
    case SizeComparison::Less: return a < b;
    case SizeComparison::LessEqual: return a <= b;
    case SizeComparison::Equal: return a == b;
    case SizeComparison::NotEqual: return a != b;
    case SizeComparison::Greater: return a > b;
    case SizeComparison::GreaterEqual: return a >= b;
  }
  return false;
}

const char* sign_of(SizeOperation operation) {
  switch (operation) {
    case SizeOperation::Add: return " + ";
    case SizeOperation::Subtract: return " - ";
    case SizeOperation::Multiply: return " * ";
    case SizeOperation::FloorDivide: return " // ";
    case SizeOperation::Modulo: return " % ";
    case SizeOperation::Divide: return " / ";
    default: return "?";
  }
}

}  // namespace

SizeRef length_of(std::size_t value, std::size_t axis) {
  SizeExpression expression;
  expression.operation = SizeOperation::Length;
  expression.value = value;
  expression.axis = axis;
  return std::make_shared<const SizeExpression>(std::move(expression));
}

SizeRef number_size(SizeNumber number) {
  SizeExpression expression;
  expression.number = number;
  return std::make_shared<const SizeExpression>(std::move(expression));
}

SizeRef combined_size(SizeOperation operation, SizeRef a, SizeRef b) {
  SizeExpression expression;
  expression.operation = operation;
  expression.a = std::move(a);
  expression.b = std::move(b);
  return std::make_shared<const SizeExpression>(std::move(expression));
}

std::optional<SizeNumber> apply(SizeOperation operation, SizeNumber a, SizeNumber b) {
  const bool is_real = a.is_real || b.is_real || operation == SizeOperation::Divide;
  if (!is_real) return apply_whole(operation, a.whole, b.whole);
  if (!is_exact(a) || !is_exact(b)) return std::nullopt;
  return apply_real(operation, a.as_real(), b.as_real());
}

std::optional<bool> compare(SizeComparison how, SizeNumber a, SizeNumber b) {
  if (!a.is_real && !b.is_real) return compare_as(how, a.whole, b.whole);
  if (!is_exact(a) || !is_exact(b)) return std::nullopt;
  return compare_as(how, a.as_real(), b.as_real());
}

std::optional<SizeNumber> evaluate(const SizeExpression& expression,
                                   std::span<const Tensor> values) {
  if (expression.operation == SizeOperation::Number) return expression.number;
  if (expression.operation == SizeOperation::Length) {
    if (expression.value >= values.size() || !values[expression.value].defined())
      return std::nullopt;
    const tensor::Shape& shape = values[expression.value].shape();
    if (expression.axis >= shape.size()) return std::nullopt;
    return SizeNumber::of(shape[expression.axis]);
  }
  const std::optional<SizeNumber> a = evaluate(*expression.a, values);
  if (!a) return std::nullopt;
  if (expression.operation == SizeOperation::Negate) return apply(expression.operation, *a);
  const std::optional<SizeNumber> b = evaluate(*expression.b, values);
  if (!b) return std::nullopt;
  return apply(expression.operation, *a, *b);
}

std::string to_string(const SizeExpression& expression) {
  switch (expression.operation) {
    case SizeOperation::Number:
      return expression.number.is_real ? platform::join(expression.number.real)
                                       : platform::join(expression.number.whole);
    case SizeOperation::Length:
      return platform::join("v", expression.value, ".shape[", expression.axis, "]");
    case SizeOperation::Negate: return "-(" + to_string(*expression.a) + ")";
    default: break;
  }
  return platform::join("(", to_string(*expression.a), sign_of(expression.operation),
                        to_string(*expression.b), ")");
}

std::string_view sign_of(SizeComparison how) {
  constexpr std::string_view kSigns[] = {"<", "<=", "==", "!=", ">", ">="};
  return kSigns[static_cast<std::size_t>(how)];
}

}  // namespace mycel::capture
