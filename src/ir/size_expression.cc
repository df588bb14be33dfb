// SPDX-License-Identifier: Apache-2.0
#include "ir/size_expression.h"

#include <limits>

#include "platform/error/error.h"

namespace mycel::ir {
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
    case SizeOperation::Add: return "+";
    case SizeOperation::Subtract: return "-";
    case SizeOperation::Multiply: return "*";
    case SizeOperation::FloorDivide: return "//";
    case SizeOperation::Modulo: return "%";
    case SizeOperation::Divide: return "/";
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

std::optional<SizeNumber> evaluate(const SizeExpression& expression, const LengthReader& length) {
  if (expression.operation == SizeOperation::Number) return expression.number;
  if (expression.operation == SizeOperation::Length) {
    const std::optional<std::int64_t> found = length(expression.value, expression.axis);
    return found ? std::optional(SizeNumber::of(*found)) : std::nullopt;
  }
  const std::optional<SizeNumber> a = evaluate(*expression.a, length);
  if (!a) return std::nullopt;
  if (expression.operation == SizeOperation::Negate) return apply(expression.operation, *a);
  const std::optional<SizeNumber> b = evaluate(*expression.b, length);
  if (!b) return std::nullopt;
  return apply(expression.operation, *a, *b);
}

std::optional<SizeNumber> evaluate(const SizeExpression& expression,
                                   std::span<const Tensor> values) {
  return evaluate(expression,
                  [&](std::size_t value, std::size_t axis) -> std::optional<std::int64_t> {
                    if (value >= values.size() || !values[value].defined()) return std::nullopt;
                    const tensor::Shape& shape = values[value].shape();
                    return axis < shape.size() ? std::optional(shape[axis]) : std::nullopt;
                  });
}

namespace {

// How tightly an operation holds its parts together.
int binding_of(const SizeExpression& expression) {
  switch (expression.operation) {
    case SizeOperation::Add:
    case SizeOperation::Subtract: return 1;
    case SizeOperation::Multiply:
    case SizeOperation::FloorDivide:
    case SizeOperation::Modulo:
    case SizeOperation::Divide: return 2;
    case SizeOperation::Negate: return 3;
    default: return 4;
  }
}

// In brackets where the operation around it holds tighter.
std::string part_of(const SizeExpression& part, int binding, const LengthNamer& name) {
  std::string text = to_string(part, name);
  return binding_of(part) < binding ? platform::join("(", text, ")") : text;
}

}  // namespace

std::string to_string(const SizeExpression& expression, const LengthNamer& name) {
  const int binding = binding_of(expression);
  switch (expression.operation) {
    case SizeOperation::Number:
      return expression.number.is_real ? platform::join(expression.number.real)
                                       : platform::join(expression.number.whole);
    case SizeOperation::Length: return name(expression.value, expression.axis);
    case SizeOperation::Negate: return "-" + part_of(*expression.a, binding, name);
    default: break;
  }
  const bool is_associative =
      expression.operation == SizeOperation::Add || expression.operation == SizeOperation::Multiply;
  return platform::join(part_of(*expression.a, binding, name), sign_of(expression.operation),
                        part_of(*expression.b, is_associative ? binding : binding + 1, name));
}

std::string to_string(const SizeExpression& expression) {
  return to_string(expression, [](std::size_t value, std::size_t axis) {
    return platform::join("v", value, ".shape[", axis, "]");
  });
}

SizeRef with_lengths(const SizeRef& expression,
                     const std::function<SizeRef(std::size_t value, std::size_t axis)>& other) {
  if (!expression || expression->operation == SizeOperation::Number) return expression;
  if (expression->operation == SizeOperation::Length)
    return other(expression->value, expression->axis);
  SizeRef a = with_lengths(expression->a, other);
  SizeRef b = with_lengths(expression->b, other);
  const bool is_whole = a && (b || !expression->b);
  return is_whole ? combined_size(expression->operation, std::move(a), std::move(b)) : nullptr;
}

bool has_lengths(const SizeExpression& expression) {
  return expression.operation == SizeOperation::Length ||
         (expression.a && has_lengths(*expression.a)) ||
         (expression.b && has_lengths(*expression.b));
}

SizeComparison opposite(SizeComparison how) {
  switch (how) {
    case SizeComparison::Less: return SizeComparison::GreaterEqual;
    case SizeComparison::LessEqual: return SizeComparison::Greater;
    case SizeComparison::Equal: return SizeComparison::NotEqual;
    case SizeComparison::NotEqual: return SizeComparison::Equal;
    case SizeComparison::Greater: return SizeComparison::LessEqual;
    case SizeComparison::GreaterEqual: return SizeComparison::Less;
  }
  return how;
}

std::string_view sign_of(SizeComparison how) {
  constexpr std::string_view kSigns[] = {"<", "<=", "==", "!=", ">", ">="};
  return kSigns[static_cast<std::size_t>(how)];
}

}  // namespace mycel::ir
