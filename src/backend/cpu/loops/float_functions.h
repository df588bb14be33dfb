// SPDX-License-Identifier: Apache-2.0
// Scalar functions on float and double, written so that the compiler can turn loops over them into
// vector code; library functions become calls of glibc's vector library.
#pragma once

#include <math.h>  // NOLINT: the C names are the ones declared again below

#include "backend/cpu/loops/step_loops.h"

extern "C" {
#define MYCEL_VECTOR_1(name)                                                         \
  float name##f(float) noexcept __attribute__((__simd__("notinbranch"), __const__)); \
  double name(double) noexcept __attribute__((__simd__("notinbranch"), __const__));
#define MYCEL_VECTOR_2(name)                                                                \
  float name##f(float, float) noexcept __attribute__((__simd__("notinbranch"), __const__)); \
  double name(double, double) noexcept __attribute__((__simd__("notinbranch"), __const__));
MYCEL_VECTOR_1(exp)
MYCEL_VECTOR_1(exp2)
MYCEL_VECTOR_1(expm1)
MYCEL_VECTOR_1(log)
MYCEL_VECTOR_1(log2)
MYCEL_VECTOR_1(log10)
MYCEL_VECTOR_1(log1p)
MYCEL_VECTOR_1(sin)
MYCEL_VECTOR_1(cos)
MYCEL_VECTOR_1(tan)
MYCEL_VECTOR_1(asin)
MYCEL_VECTOR_1(acos)
MYCEL_VECTOR_1(atan)
MYCEL_VECTOR_1(sinh)
MYCEL_VECTOR_1(cosh)
MYCEL_VECTOR_1(tanh)
MYCEL_VECTOR_1(asinh)
MYCEL_VECTOR_1(acosh)
MYCEL_VECTOR_1(atanh)
MYCEL_VECTOR_1(erf)
MYCEL_VECTOR_1(erfc)
MYCEL_VECTOR_2(pow)
MYCEL_VECTOR_2(atan2)
MYCEL_VECTOR_2(hypot)
#undef MYCEL_VECTOR_1
#undef MYCEL_VECTOR_2
}

namespace mycel::cpu::MYCEL_ISA {

double digamma(double x);
double inverse_erf(double x);

template <class T, ScalarOp kOp>
struct FloatUnary {
  static constexpr bool kWide = sizeof(T) == 8;
  static T run(T x) {
    if constexpr (kOp == ScalarOp::Neg) return -x;
    if constexpr (kOp == ScalarOp::Abs) return kWide ? ::fabs(x) : ::fabsf(x);
    if constexpr (kOp == ScalarOp::Sign) return x != x ? x : T(x > 0 ? 1 : 0) - T(x < 0 ? 1 : 0);
    if constexpr (kOp == ScalarOp::Sqrt) return kWide ? ::sqrt(x) : ::sqrtf(x);
    if constexpr (kOp == ScalarOp::Rsqrt) return T(1) / (kWide ? ::sqrt(x) : ::sqrtf(x));
    if constexpr (kOp == ScalarOp::Reciprocal) return T(1) / x;
    if constexpr (kOp == ScalarOp::Square) return x * x;
    if constexpr (kOp == ScalarOp::Floor) return kWide ? ::floor(x) : ::floorf(x);
    if constexpr (kOp == ScalarOp::Ceil) return kWide ? ::ceil(x) : ::ceilf(x);
    if constexpr (kOp == ScalarOp::Round) return kWide ? ::rint(x) : ::rintf(x);
    if constexpr (kOp == ScalarOp::Trunc) return kWide ? ::trunc(x) : ::truncf(x);
    if constexpr (kOp == ScalarOp::Imag) return T(0);
    if constexpr (kOp == ScalarOp::Digamma) return static_cast<T>(digamma(x));
    if constexpr (kOp == ScalarOp::Erfinv) return static_cast<T>(inverse_erf(x));
    if constexpr (kOp == ScalarOp::Lgamma) {
      int sign = 0;
      return static_cast<T>(::lgamma_r(x, &sign));
    }
    return library(x);
  }

 private:
  static T library(T x) {
    if constexpr (kOp == ScalarOp::Exp) return kWide ? ::exp(x) : ::expf(x);
    if constexpr (kOp == ScalarOp::Exp2) return kWide ? ::exp2(x) : ::exp2f(x);
    if constexpr (kOp == ScalarOp::Expm1) return kWide ? ::expm1(x) : ::expm1f(x);
    if constexpr (kOp == ScalarOp::Log) return kWide ? ::log(x) : ::logf(x);
    if constexpr (kOp == ScalarOp::Log2) return kWide ? ::log2(x) : ::log2f(x);
    if constexpr (kOp == ScalarOp::Log10) return kWide ? ::log10(x) : ::log10f(x);
    if constexpr (kOp == ScalarOp::Log1p) return kWide ? ::log1p(x) : ::log1pf(x);
    if constexpr (kOp == ScalarOp::Sin) return kWide ? ::sin(x) : ::sinf(x);
    if constexpr (kOp == ScalarOp::Cos) return kWide ? ::cos(x) : ::cosf(x);
    if constexpr (kOp == ScalarOp::Tan) return kWide ? ::tan(x) : ::tanf(x);
    if constexpr (kOp == ScalarOp::Asin) return kWide ? ::asin(x) : ::asinf(x);
    if constexpr (kOp == ScalarOp::Acos) return kWide ? ::acos(x) : ::acosf(x);
    if constexpr (kOp == ScalarOp::Atan) return kWide ? ::atan(x) : ::atanf(x);
    if constexpr (kOp == ScalarOp::Sinh) return kWide ? ::sinh(x) : ::sinhf(x);
    if constexpr (kOp == ScalarOp::Cosh) return kWide ? ::cosh(x) : ::coshf(x);
    if constexpr (kOp == ScalarOp::Tanh) return kWide ? ::tanh(x) : ::tanhf(x);
    if constexpr (kOp == ScalarOp::Asinh) return kWide ? ::asinh(x) : ::asinhf(x);
    if constexpr (kOp == ScalarOp::Acosh) return kWide ? ::acosh(x) : ::acoshf(x);
    if constexpr (kOp == ScalarOp::Atanh) return kWide ? ::atanh(x) : ::atanhf(x);
    if constexpr (kOp == ScalarOp::Erf) return kWide ? ::erf(x) : ::erff(x);
    if constexpr (kOp == ScalarOp::Erfc) return kWide ? ::erfc(x) : ::erfcf(x);
    // exp overflows to infinity for very negative x, and 1 / inf is the right 0.
    if constexpr (kOp == ScalarOp::Sigmoid) return T(1) / (T(1) + (kWide ? ::exp(-x) : ::expf(-x)));
    return x;
  }
};

template <class T, ScalarOp kOp>
struct FloatBinary {
  static constexpr bool kWide = sizeof(T) == 8;
  static T floor_of(T x) { return kWide ? ::floor(x) : ::floorf(x); }
  // a - whole * b, rounded once.
  static T rest_of(T a, T whole, T b) {
    return kWide ? __builtin_fma(-whole, b, a) : __builtin_fmaf(-whole, b, a);
  }
  static bool has_other_sign(T rest, T b) { return (rest < 0 && b > 0) || (rest > 0 && b < 0); }

  // The quotient may have been rounded up to a whole number; then what is left has the wrong sign.
  static T floor_quotient(T a, T b) {
    const T whole = floor_of(a / b);
    return whole - (has_other_sign(rest_of(a, whole, b), b) ? T(1) : T(0));
  }
  // The remainder from the whole quotient, as long as that is near enough to have all its digits.
  static bool is_near(T whole) {
    return (kWide ? ::fabs(whole) : ::fabsf(whole)) < (kWide ? T(0x1p51) : T(0x1p22));
  }
  static T near_remainder(T a, T whole, T b) {
    const T rest = rest_of(a, whole, b);
    return rest + (has_other_sign(rest, b) ? b : T(0));
  }
  static T far_remainder(T a, T b) {
    const T rest = kWide ? ::fmod(a, b) : ::fmodf(a, b);
    return has_other_sign(rest, b) ? rest + b : rest;
  }
  static T floor_remainder(T a, T b) {
    const T whole = floor_of(a / b);
    return is_near(whole) ? near_remainder(a, whole, b) : far_remainder(a, b);
  }

  static T run(T a, T b) {
    if constexpr (kOp == ScalarOp::Add) return a + b;
    if constexpr (kOp == ScalarOp::Sub) return a - b;
    if constexpr (kOp == ScalarOp::Mul) return a * b;
    if constexpr (kOp == ScalarOp::Div) return a / b;
    if constexpr (kOp == ScalarOp::FloorDiv) return floor_quotient(a, b);
    if constexpr (kOp == ScalarOp::TruncDiv) return kWide ? ::trunc(a / b) : ::truncf(a / b);
    if constexpr (kOp == ScalarOp::FloorMod) return floor_remainder(a, b);
    if constexpr (kOp == ScalarOp::TruncMod) return kWide ? ::fmod(a, b) : ::fmodf(a, b);
    if constexpr (kOp == ScalarOp::Maximum) return a > b || a != a ? a : b;
    if constexpr (kOp == ScalarOp::Minimum) return a < b || a != a ? a : b;
    if constexpr (kOp == ScalarOp::CopySign) return kWide ? ::copysign(a, b) : ::copysignf(a, b);
    if constexpr (kOp == ScalarOp::Pow) return kWide ? ::pow(a, b) : ::powf(a, b);
    if constexpr (kOp == ScalarOp::Atan2) return kWide ? ::atan2(a, b) : ::atan2f(a, b);
    if constexpr (kOp == ScalarOp::Hypot) return kWide ? ::hypot(a, b) : ::hypotf(a, b);
  }
};

template <class T, ScalarOp kOp>
struct FloatTest {
  static bool run(T x) {
    const T size = sizeof(T) == 8 ? ::fabs(x) : ::fabsf(x);
    const T infinity = static_cast<T>(__builtin_inf());
    if constexpr (kOp == ScalarOp::IsNan) return x != x;
    if constexpr (kOp == ScalarOp::IsInf) return size == infinity;
    if constexpr (kOp == ScalarOp::IsFinite) return size < infinity;
    if constexpr (kOp == ScalarOp::SignBit) return __builtin_signbit(x) != 0;
  }
};

// Remainders of a few elements at a time, as if all quotients were near; where one is not, the far
// ones are computed again.
template <class T, Variant kVariant>
void remainder_loop(const void* a, const void* b, const void*, const void*, void* out,
                    std::int64_t n) {
  using Function = FloatBinary<T, ScalarOp::FloorMod>;
  constexpr std::int64_t kTogether = 128;
  const T* x = static_cast<const T*>(a);
  const T* z = static_cast<const T*>(b);
  const auto dividend = [=](std::int64_t i) { return x[kVariant == kFirstSingle ? 0 : i]; };
  const auto divisor = [=](std::int64_t i) { return z[kVariant == kSecondSingle ? 0 : i]; };
  for (std::int64_t begin = 0; begin < n; begin += kTogether) {
    const std::int64_t count = n - begin < kTogether ? n - begin : kTogether;
    alignas(64) T rest[kTogether];  // the result may lie over an operand
    int far = 0;
    for (std::int64_t i = 0; i < count; ++i) {
      const T p = dividend(begin + i), q = divisor(begin + i);
      const T whole = Function::floor_of(p / q);
      far |= Function::is_near(whole) ? 0 : 1;
      rest[i] = Function::near_remainder(p, whole, q);
    }
    for (std::int64_t i = 0; far != 0 && i < count; ++i)
      rest[i] = Function::floor_remainder(dividend(begin + i), divisor(begin + i));
    std::memcpy(static_cast<T*>(out) + begin, rest, static_cast<std::size_t>(count) * sizeof(T));
  }
}

// A whole power is far cheaper as a product, and squares are most of what is asked for.
template <class T>
void power_of_single(const void* a, const void* b, const void* c, const void* d, void* out,
                     std::int64_t n) {
  const T exponent = *static_cast<const T*>(b);
  const T* x = static_cast<const T*>(a);
  T* y = static_cast<T*>(out);
  if (exponent == T(2)) {
#pragma GCC ivdep
    for (std::int64_t i = 0; i < n; ++i) y[i] = x[i] * x[i];
  } else if (exponent == T(3)) {
#pragma GCC ivdep
    for (std::int64_t i = 0; i < n; ++i) y[i] = x[i] * x[i] * x[i];
  } else if (exponent == T(-1)) {
#pragma GCC ivdep
    for (std::int64_t i = 0; i < n; ++i) y[i] = T(1) / x[i];
  } else {
    binary_padded<T, FloatBinary<T, ScalarOp::Pow>, kSecondSingle>(a, b, c, d, out, n);
  }
}

template <class T, ScalarOp... kOps>
void fill_compare_select(StepVariants* entries) {
  int i = 0;
  (
      [&] {
        using Compare = CompareFunction<T, kOps>;
        entries[i][kVectors] = compare_select_loop<T, Compare, kVectors>;
        entries[i][kSecondSingle] = compare_select_loop<T, Compare, kSecondSingle>;
        entries[i][kFirstSingle] = compare_select_loop<T, Compare, kFirstSingle>;
        entries[i][kBothSingle] = compare_select_loop<T, Compare, kBothSingle>;
        ++i;
      }(),
      ...);
}

template <class T>
void fill_floating(LoopTable& table, Number number, int compare_index) {
  using enum ScalarOp;
  StepVariants* steps = table.steps[static_cast<int>(number)];
  fill_unary<T, FloatUnary, Neg, Abs, Sign, Sqrt, Rsqrt, Reciprocal, Square, Exp, Exp2, Expm1, Log,
             Log2, Log10, Log1p, Sin, Cos, Tan, Asin, Acos, Atan, Sinh, Cosh, Tanh, Asinh, Acosh,
             Atanh, Erf, Erfc, Erfinv, Lgamma, Digamma, Sigmoid, Floor, Ceil, Round, Trunc, Imag>(
      steps);
  fill_binary<T, T, FloatBinary, Add, Sub, Mul, Div, FloorDiv, TruncDiv, FloorMod, TruncMod, Pow,
              Maximum, Minimum, Atan2, Hypot, CopySign>(steps);
  steps[static_cast<int>(Pow)][kSecondSingle] = power_of_single<T>;
  StepVariants& remainder = steps[static_cast<int>(FloorMod)];
  remainder[kVectors] = remainder_loop<T, kVectors>;
  remainder[kSecondSingle] = remainder_loop<T, kSecondSingle>;
  remainder[kFirstSingle] = remainder_loop<T, kFirstSingle>;
  fill_tests<T, Mask, FloatTest, IsNan, IsInf, IsFinite, SignBit>(steps);
  fill_comparisons<T>(steps);
  fill_select<T>(steps);
  fill_compare_select<T, Equal, NotEqual, Less, LessEqual, Greater, GreaterEqual>(
      table.compare_select[compare_index]);
}

}  // namespace mycel::cpu::MYCEL_ISA
