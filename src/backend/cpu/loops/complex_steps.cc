// SPDX-License-Identifier: Apache-2.0
// Complex arithmetic. Functions whose result is real (abs, real, imag) give it with a zero
// imaginary part; the store drops that.
#include <cmath>
#include <complex>
#include <limits>

#include "backend/cpu/loops/step_loops.h"

namespace mycel::cpu::MYCEL_ISA {
namespace {

// Plain formulas: infinities that the standard's recovery rules would repair are left as NaN, as in
// NumPy.
template <class C>
C multiply(C a, C b) {
  return C(a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real());
}

// Smith's division: no overflow for large divisors.
template <class C>
C divide(C a, C b) {
  using T = typename C::value_type;
  if (std::abs(b.real()) >= std::abs(b.imag())) {
    if (b.real() == 0 && b.imag() == 0)
      return C(a.real() / std::abs(b.real()), a.imag() / std::abs(b.real()));
    const T ratio = b.imag() / b.real();
    const T scale = b.real() + b.imag() * ratio;
    return C((a.real() + a.imag() * ratio) / scale, (a.imag() - a.real() * ratio) / scale);
  }
  const T ratio = b.real() / b.imag();
  const T scale = b.imag() + b.real() * ratio;
  return C((a.real() * ratio + a.imag()) / scale, (a.imag() * ratio - a.real()) / scale);
}

template <class C, ScalarOp kOp>
struct ComplexUnary {
  using T = typename C::value_type;
  static C run(C x) {
    if constexpr (kOp == ScalarOp::Neg) return -x;
    if constexpr (kOp == ScalarOp::Abs) return std::hypot(x.real(), x.imag());
    if constexpr (kOp == ScalarOp::Sign)
      return x == C(0) ? C(0) : x / std::hypot(x.real(), x.imag());
    if constexpr (kOp == ScalarOp::Sqrt) return std::sqrt(x);
    if constexpr (kOp == ScalarOp::Rsqrt) return divide(C(1), std::sqrt(x));
    if constexpr (kOp == ScalarOp::Reciprocal) return divide(C(1), x);
    if constexpr (kOp == ScalarOp::Square) return multiply(x, x);
    if constexpr (kOp == ScalarOp::Exp) return std::exp(x);
    if constexpr (kOp == ScalarOp::Exp2) return std::exp(x * static_cast<T>(M_LN2));
    if constexpr (kOp == ScalarOp::Expm1) return expm1(x);
    if constexpr (kOp == ScalarOp::Log) return std::log(x);
    if constexpr (kOp == ScalarOp::Log2) return std::log(x) / static_cast<T>(M_LN2);
    if constexpr (kOp == ScalarOp::Log10) return std::log10(x);
    if constexpr (kOp == ScalarOp::Log1p) return std::log(x + T(1));
    if constexpr (kOp == ScalarOp::Sigmoid) return divide(C(1), C(1) + std::exp(-x));
    if constexpr (kOp == ScalarOp::Conj) return std::conj(x);
    if constexpr (kOp == ScalarOp::Real) return x.real();
    if constexpr (kOp == ScalarOp::Imag) return x.imag();
    if constexpr (kOp == ScalarOp::Round)
      return C(std::nearbyint(x.real()), std::nearbyint(x.imag()));
    return trigonometric(x);
  }

 private:
  static C expm1(C x) {
    const T half = std::sin(x.imag() / 2);
    const T growth = std::expm1(x.real());
    return C(growth * std::cos(x.imag()) - 2 * half * half, (growth + 1) * std::sin(x.imag()));
  }
  static C trigonometric(C x) {
    if constexpr (kOp == ScalarOp::Sin) return std::sin(x);
    if constexpr (kOp == ScalarOp::Cos) return std::cos(x);
    if constexpr (kOp == ScalarOp::Tan) return std::tan(x);
    if constexpr (kOp == ScalarOp::Asin) return std::asin(x);
    if constexpr (kOp == ScalarOp::Acos) return std::acos(x);
    if constexpr (kOp == ScalarOp::Atan) return std::atan(x);
    if constexpr (kOp == ScalarOp::Sinh) return std::sinh(x);
    if constexpr (kOp == ScalarOp::Cosh) return std::cosh(x);
    if constexpr (kOp == ScalarOp::Tanh) return std::tanh(x);
    if constexpr (kOp == ScalarOp::Asinh) return std::asinh(x);
    if constexpr (kOp == ScalarOp::Acosh) return std::acosh(x);
    if constexpr (kOp == ScalarOp::Atanh) return std::atanh(x);
    return x;
  }
};

template <class C>
bool comes_before(C a, C b) {
  return a.real() != b.real() ? a.real() < b.real() : a.imag() < b.imag();
}

template <class C, ScalarOp kOp>
struct ComplexBinary {
  static bool is_nan(C x) { return x.real() != x.real() || x.imag() != x.imag(); }
  static C power(C a, C b) {
    if (b == C(0)) return C(1);
    if (a == C(0)) return C(0);
    if (b == C(2)) return multiply(a, a);
    return std::pow(a, b);
  }
  static C run(C a, C b) {
    if constexpr (kOp == ScalarOp::Add) return a + b;
    if constexpr (kOp == ScalarOp::Sub) return a - b;
    if constexpr (kOp == ScalarOp::Mul) return multiply(a, b);
    if constexpr (kOp == ScalarOp::Div) return divide(a, b);
    if constexpr (kOp == ScalarOp::Pow) return power(a, b);
    // NumPy's order: by the real part, then by the imaginary one.
    if constexpr (kOp == ScalarOp::Maximum)
      return is_nan(a) || (!is_nan(b) && comes_before(b, a)) ? a : b;
    if constexpr (kOp == ScalarOp::Minimum)
      return is_nan(a) || (!is_nan(b) && comes_before(a, b)) ? a : b;
  }
};

template <class C, ScalarOp kOp>
struct ComplexTest {
  static bool run(C x) {
    const bool nan = x.real() != x.real() || x.imag() != x.imag();
    const bool infinite =
        std::abs(x.real()) == std::numeric_limits<typename C::value_type>::infinity() ||
        std::abs(x.imag()) == std::numeric_limits<typename C::value_type>::infinity();
    if constexpr (kOp == ScalarOp::IsNan) return nan;
    if constexpr (kOp == ScalarOp::IsInf) return infinite;
    if constexpr (kOp == ScalarOp::IsFinite) return !nan && !infinite;
  }
};

template <class C, ScalarOp kOp>
struct ComplexCompare {
  static bool run(C a, C b) {
    if constexpr (kOp == ScalarOp::Equal) return a == b;
    if constexpr (kOp == ScalarOp::NotEqual) return a != b;
    if constexpr (kOp == ScalarOp::Less) return comes_before(a, b);
    if constexpr (kOp == ScalarOp::LessEqual) return comes_before(a, b) || a == b;
    if constexpr (kOp == ScalarOp::Greater) return comes_before(b, a);
    if constexpr (kOp == ScalarOp::GreaterEqual) return comes_before(b, a) || a == b;
  }
};

template <class C>
void fill_complex(LoopTable& table, Number number) {
  using enum ScalarOp;
  StepVariants* steps = table.steps[static_cast<int>(number)];
  fill_unary<C, ComplexUnary, Neg, Abs, Sign, Sqrt, Rsqrt, Reciprocal, Square, Exp, Exp2, Expm1,
             Log, Log2, Log10, Log1p, Sin, Cos, Tan, Asin, Acos, Atan, Sinh, Cosh, Tanh, Asinh,
             Acosh, Atanh, Sigmoid, Round, Conj, Real, Imag>(steps);
  fill_binary<C, C, ComplexBinary, Add, Sub, Mul, Div, Pow, Maximum, Minimum>(steps);
  fill_tests<C, Mask, ComplexTest, IsNan, IsInf, IsFinite>(steps);
  fill_binary<C, Mask, ComplexCompare, Equal, NotEqual, Less, LessEqual, Greater, GreaterEqual>(
      steps);
  fill_select<C>(steps);
}

}  // namespace

void fill_complex_steps(LoopTable& table) {
  fill_complex<std::complex<float>>(table, Number::C64);
  fill_complex<std::complex<double>>(table, Number::C128);
}

}  // namespace mycel::cpu::MYCEL_ISA
