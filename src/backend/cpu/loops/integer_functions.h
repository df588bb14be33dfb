// SPDX-License-Identifier: Apache-2.0
// Scalar functions on integers. Overflow wraps; nothing here can trap or be undefined.
#pragma once

#include <limits>

#include "backend/cpu/loops/step_loops.h"

namespace mycel::cpu::MYCEL_ISA {

template <class T>
using Bits = std::make_unsigned_t<T>;

template <class T>
constexpr T kLowest = std::numeric_limits<T>::min();
template <class T>
constexpr T kHighest = std::numeric_limits<T>::max();

// Wrapping negation that is defined for the smallest number as well.
template <class T>
T negate(T x) {
  return static_cast<T>(Bits<T>(0) - static_cast<Bits<T>>(x));
}

// x / 0 is the largest or smallest number by the sign of x, and 0 / 0 is 0.
template <class T>
T divide_by_zero(T x) {
  return x > 0 ? kHighest<T> : x < 0 ? kLowest<T> : T(0);
}

template <class T>
T truncating_quotient(T a, T b) {
  if (b == 0) return divide_by_zero(a);
  if constexpr (std::is_signed_v<T>) {
    if (b == T(-1)) return negate(a);  // the smallest number divided by -1 traps
  }
  return static_cast<T>(a / b);
}

template <class T>
T truncating_remainder(T a, T b) {
  if (b == 0) return 0;
  if constexpr (std::is_signed_v<T>) {
    if (b == T(-1)) return 0;
  }
  return static_cast<T>(a % b);
}

template <class T>
T floor_quotient(T a, T b) {
  const T quotient = truncating_quotient(a, b);
  if constexpr (std::is_signed_v<T>) {
    const bool adjust = b != 0 && truncating_remainder(a, b) != 0 && (a < 0) != (b < 0);
    return static_cast<T>(quotient - (adjust ? 1 : 0));
  }
  return quotient;
}

template <class T>
T floor_remainder(T a, T b) {
  const T rest = truncating_remainder(a, b);
  if constexpr (std::is_signed_v<T>) {
    if (rest != 0 && (rest < 0) != (b < 0)) return static_cast<T>(rest + b);
  }
  return rest;
}

template <class T>
T integer_power(T base, T exponent) {
  if constexpr (std::is_signed_v<T>) {
    if (exponent < 0) {
      if (base == 1) return 1;
      if (base == T(-1)) return exponent % 2 == 0 ? T(1) : T(-1);
      return 0;
    }
  }
  Bits<T> result = 1;
  auto factor = static_cast<Bits<T>>(base);
  for (auto rest = static_cast<Bits<T>>(exponent); rest != 0;
       rest = static_cast<Bits<T>>(rest >> 1)) {
    if ((rest & 1) != 0) result = static_cast<Bits<T>>(std::uint64_t{result} * factor);
    factor = static_cast<Bits<T>>(std::uint64_t{factor} * factor);
  }
  return static_cast<T>(result);
}

template <class T>
T shift_left(T x, T count) {
  const auto width = static_cast<T>(8 * sizeof(T));
  if (count < 0 || count >= width) return 0;
  return static_cast<T>(static_cast<std::uint64_t>(static_cast<Bits<T>>(x))
                        << static_cast<unsigned>(count));
}

template <class T>
T shift_right(T x, T count) {
  const auto width = static_cast<T>(8 * sizeof(T));
  if (count < 0 || count >= width) return x < 0 ? static_cast<T>(-1) : T(0);
  return static_cast<T>(x >> static_cast<unsigned>(count));
}

template <class T>
T integer_root(T x) {
  return x <= 0 ? T(0) : static_cast<T>(__builtin_sqrt(static_cast<double>(x)));
}

template <class T, ScalarOp kOp>
struct IntegerUnary {
  static T run(T x) {
    if constexpr (kOp == ScalarOp::Neg) return negate(x);
    if constexpr (kOp == ScalarOp::Abs) return x < 0 ? negate(x) : x;
    if constexpr (kOp == ScalarOp::Sign) return static_cast<T>((x > 0) - (x < 0));
    if constexpr (kOp == ScalarOp::Square)
      return static_cast<T>(std::uint64_t(x) * std::uint64_t(x));
    if constexpr (kOp == ScalarOp::Sqrt) return integer_root(x);
    if constexpr (kOp == ScalarOp::Reciprocal) return truncating_quotient(T(1), x);
    if constexpr (kOp == ScalarOp::BitNot) return static_cast<T>(~x);
    if constexpr (kOp == ScalarOp::Imag) return 0;
    return x;  // floor, ceil, round, trunc
  }
};

template <class T, ScalarOp kOp>
struct IntegerBinary {
  static T run(T a, T b) {
    const auto x = static_cast<Bits<T>>(a);
    const auto y = static_cast<Bits<T>>(b);
    if constexpr (kOp == ScalarOp::Add) return static_cast<T>(x + y);
    if constexpr (kOp == ScalarOp::Sub) return static_cast<T>(x - y);
    // Through 32 bits at least: two uint16 multiply as int otherwise, which can overflow.
    if constexpr (kOp == ScalarOp::Mul && sizeof(T) < 4)
      return static_cast<T>(std::uint32_t{x} * std::uint32_t{y});
    if constexpr (kOp == ScalarOp::Mul) return static_cast<T>(x * y);
    if constexpr (kOp == ScalarOp::Div || kOp == ScalarOp::TruncDiv)
      return truncating_quotient(a, b);
    if constexpr (kOp == ScalarOp::FloorDiv) return floor_quotient(a, b);
    if constexpr (kOp == ScalarOp::TruncMod) return truncating_remainder(a, b);
    if constexpr (kOp == ScalarOp::FloorMod) return floor_remainder(a, b);
    if constexpr (kOp == ScalarOp::Pow) return integer_power(a, b);
    if constexpr (kOp == ScalarOp::Maximum) return a > b ? a : b;
    if constexpr (kOp == ScalarOp::Minimum) return a < b ? a : b;
    if constexpr (kOp == ScalarOp::BitAnd) return static_cast<T>(a & b);
    if constexpr (kOp == ScalarOp::BitOr) return static_cast<T>(a | b);
    if constexpr (kOp == ScalarOp::BitXor) return static_cast<T>(a ^ b);
    if constexpr (kOp == ScalarOp::ShiftLeft) return shift_left(a, b);
    if constexpr (kOp == ScalarOp::ShiftRight) return shift_right(a, b);
    if constexpr (kOp == ScalarOp::CopySign) return (a < 0) == (b < 0) ? a : negate(a);
  }
};

template <class T, ScalarOp kOp>
struct IntegerTest {
  static bool run(T x) {
    if constexpr (kOp == ScalarOp::IsFinite) return true;
    if constexpr (kOp == ScalarOp::SignBit) return x < 0;
    return false;
  }
};

template <class T>
void fill_integral(LoopTable& table, Number number) {
  using enum ScalarOp;
  StepVariants* steps = table.steps[static_cast<int>(number)];
  fill_unary<T, IntegerUnary, Neg, Abs, Sign, Square, Sqrt, Reciprocal, Floor, Ceil, Round, Trunc,
             BitNot, Imag>(steps);
  fill_binary<T, T, IntegerBinary, Add, Sub, Mul, Div, FloorDiv, TruncDiv, FloorMod, TruncMod, Pow,
              Maximum, Minimum, BitAnd, BitOr, BitXor, ShiftLeft, ShiftRight, CopySign>(steps);
  fill_tests<T, Mask, IntegerTest, IsNan, IsInf, IsFinite, SignBit>(steps);
  fill_comparisons<T>(steps);
  fill_select<T>(steps);
}

}  // namespace mycel::cpu::MYCEL_ISA
