// SPDX-License-Identifier: Apache-2.0
// Incomplete gamma and beta functions, by series and continued fractions (DLMF 8.7, 8.9, 8.17).
#include <cmath>
#include <limits>

#include "ops/elementwise/mindir_elements.h"
#include "ops/elementwise/number_functions.h"

namespace mycel::ops {
namespace {

constexpr double kTiny = 1e-300, kEpsilon = 1e-16;
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr int kMostTerms = 20000;

// A number and its derivative by one parameter, for derivatives of whole algorithms.
struct Dual {
  double value = 0, slope = 0;
  Dual(double v = 0, double s = 0) : value(v), slope(s) {}  // NOLINT: numbers are constants
  friend Dual operator+(Dual a, Dual b) { return {a.value + b.value, a.slope + b.slope}; }
  friend Dual operator-(Dual a, Dual b) { return {a.value - b.value, a.slope - b.slope}; }
  friend Dual operator*(Dual a, Dual b) {
    return {a.value * b.value, a.slope * b.value + a.value * b.slope};
  }
  friend Dual operator/(Dual a, Dual b) {
    return {a.value / b.value, (a.slope - a.value / b.value * b.slope) / b.value};
  }
};

Dual away_from_zero(Dual x) { return std::abs(x.value) < kTiny ? Dual(kTiny) : x; }

// Shifts up to where the asymptotic series is exact.
double digamma_of(double x) {
  double result = 0;
  for (; x < 10; ++x) result -= 1 / x;
  const double s = 1 / (x * x);
  const double series =
      s * (1.0 / 12 - s * (1.0 / 120 - s * (1.0 / 252 - s * (1.0 / 240 - s * (1.0 / 132)))));
  return result + std::log(x) - 0.5 / x - series;
}

double lgamma_of(double x) {
  int sign = 0;
  return ::lgamma_r(x, &sign);
}

Dual log_gamma(Dual x) { return {lgamma_of(x.value), x.slope * digamma_of(x.value)}; }
Dual exponential(Dual x) { return {std::exp(x.value), std::exp(x.value) * x.slope}; }

// Lower part P(a, x) where the series converges fast, otherwise the upper part Q = 1 - P.
struct GammaPart {
  Dual part;
  bool lower;
};

GammaPart gamma_part(Dual a, double x) {
  const Dual scale = exponential(a * Dual(std::log(x)) - Dual(x) - log_gamma(a));
  if (x < a.value + 1) {
    Dual term = Dual(1) / a, sum = term;
    for (int n = 1; n < kMostTerms && term.value > kEpsilon * sum.value; ++n) {
      term = term * Dual(x) / (a + Dual(n));
      sum = sum + term;
    }
    return {sum * scale, true};
  }
  Dual b = Dual(x + 1) - a, c = Dual(1 / kTiny), d = Dual(1) / away_from_zero(b), h = d;
  for (int n = 1; n < kMostTerms; ++n) {
    const Dual numerator = Dual(-n) * (Dual(n) - a);
    b = b + Dual(2);
    d = Dual(1) / away_from_zero(numerator * d + b);
    c = away_from_zero(b + numerator / c);
    const Dual step = d * c;
    h = h * step;
    if (std::abs(step.value - 1) < kEpsilon) break;
  }
  return {h * scale, false};
}

bool gamma_defined(double a, double x) { return a > 0 && x >= 0; }

double lower_gamma(double a, double x) {
  if (!gamma_defined(a, x)) return kNan;
  if (x == 0) return 0;
  if (std::isinf(x)) return 1;
  const GammaPart found = gamma_part(Dual(a), x);
  return found.lower ? found.part.value : 1 - found.part.value;
}

double upper_gamma(double a, double x) {
  if (!gamma_defined(a, x)) return kNan;
  if (x == 0) return 1;
  if (std::isinf(x)) return 0;
  const GammaPart found = gamma_part(Dual(a), x);
  return found.lower ? 1 - found.part.value : found.part.value;
}

double lower_gamma_by_shape(double a, double x) {
  if (!gamma_defined(a, x)) return kNan;
  if (x == 0 || std::isinf(x)) return 0;
  const GammaPart found = gamma_part(Dual(a, 1), x);
  return found.lower ? found.part.slope : -found.part.slope;
}

Dual beta_fraction(Dual a, Dual b, double x) {
  const Dual one(1);
  Dual c = one, d = one / away_from_zero(one - (a + b) * Dual(x) / (a + one)), h = d;
  for (int m = 1; m < kMostTerms; ++m) {
    const Dual k(m), twice = a + Dual(2 * m);
    const Dual even = k * (b - k) * Dual(x) / ((twice - one) * twice);
    d = one / away_from_zero(one + even * d);
    c = away_from_zero(one + even / c);
    h = h * d * c;
    const Dual odd = Dual(-1) * (a + k) * (a + b + k) * Dual(x) / (twice * (twice + one));
    d = one / away_from_zero(one + odd * d);
    c = away_from_zero(one + odd / c);
    const Dual step = d * c;
    h = h * step;
    if (std::abs(step.value - 1) < kEpsilon) break;
  }
  return h;
}

Dual incomplete_beta(Dual a, Dual b, double x) {
  if (!(a.value > 0 && b.value > 0 && x >= 0 && x <= 1)) return kNan;
  if (x == 0 || x == 1) return x;
  const bool mirrored = x > (a.value + 1) / (a.value + b.value + 2);
  const Dual p = mirrored ? b : a, q = mirrored ? a : b;
  const double y = mirrored ? 1 - x : x;
  const double log_y = mirrored ? std::log1p(-x) : std::log(x);
  const double log_rest = mirrored ? std::log(x) : std::log1p(-x);
  const Dual scale = exponential(p * Dual(log_y) + q * Dual(log_rest) + log_gamma(p + q) -
                                 log_gamma(p) - log_gamma(q)) /
                     p;
  const Dual part = scale * beta_fraction(p, q, y);
  return mirrored ? Dual(1) - part : part;
}

// d P / d x = x^(a - 1) exp(-x) / gamma(a)
Value gamma_density(GradientContext& op) {
  const Value& a = op.input(0);
  const Value& x = op.input(1);
  return op.call("exp", {op.call("xlogy", {a - 1.0, x}) - x - op.call("lgamma", {a})});
}

void differentiate_gamma(GradientContext& op, double sign) {
  const Value gradient = op.output_gradient(0) * sign;
  if (op.wants(0)) {
    const Value slope = op.call("igamma_by_shape", {op.input(0), op.input(1)});
    op.set_input_gradient(0, sum_to(gradient * slope, op.input_specs[0]));
  }
  if (op.wants(1))
    op.set_input_gradient(1, sum_to(gradient * gamma_density(op), op.input_specs[1]));
}

void differentiate_beta(GradientContext& op) {
  const Value &a = op.input(0), &b = op.input(1), &x = op.input(2);
  const Value gradient = op.output_gradient(0);
  for (const std::size_t i : {0u, 1u}) {
    if (!op.wants(i)) continue;
    const Value slope = op.call("betainc_by_shape", {a, b, x}, {{"second", i == 1}});
    op.set_input_gradient(i, sum_to(gradient * slope, op.input_specs[i]));
  }
  if (!op.wants(2)) return;
  const Value log_beta =
      op.call("lgamma", {a}) + op.call("lgamma", {b}) - op.call("lgamma", {a + b});
  const Value density = op.call(
      "exp", {op.call("xlogy", {a - 1.0, x}) + op.call("xlogy", {b - 1.0, 1.0 - x}) - log_beta});
  op.set_input_gradient(2, sum_to(gradient * density, op.input_specs[2]));
}

}  // namespace

MYCEL_OP(igamma)
    .names({.primitive = "Igamma", .function = "igamma", .method = "igamma"})
    .doc("Regularised lower incomplete gamma function.")
    .input("input", "Shape, above 0.", kFloating)
    .input("other", "Upper end of the integral, at least 0.", kFloating)
    .output("output", "In the common shape, from 0 to 1.")
    .infer(infer_broadcast)
    .gradient([](GradientContext& op) { differentiate_gamma(op, 1); })
    .keeps({"input", "other"})
    .sample("plain", {positive({3, 4}), positive({3, 4})})
    .sample("stretched", {positive({3, 1}), positive({4})});
MYCEL_CPU_KERNEL(igamma) {
  run_on_numbers<2>(kernel, [](double a, double x) { return lower_gamma(a, x); });
}

MYCEL_OP(igammac)
    .names({.primitive = "Igammac", .function = "igammac", .method = "igammac"})
    .doc("Regularised upper incomplete gamma function.")
    .input("input", "Shape, above 0.", kFloating)
    .input("other", "Lower end of the integral, at least 0.", kFloating)
    .output("output", "In the common shape, from 0 to 1.")
    .infer(infer_broadcast)
    .gradient([](GradientContext& op) { differentiate_gamma(op, -1); })
    .keeps({"input", "other"})
    .sample("plain", {positive({3, 4}), positive({3, 4})})
    .sample("stretched", {positive({3, 1}), positive({4})});
MYCEL_CPU_KERNEL(igammac) {
  run_on_numbers<2>(kernel, [](double a, double x) { return upper_gamma(a, x); });
}

MYCEL_OP(igamma_by_shape)
    .names({.primitive = "IgammaGradA"})
    .doc("Derivative of `igamma` by its first input.")
    .input("input", "Shape, above 0.", kFloating)
    .input("other", "Upper end of the integral, at least 0.", kFloating)
    .output("output", "In the common shape.")
    .infer(infer_broadcast)
    .not_differentiable()
    .sample("plain", {positive({3, 4}), positive({3, 4})});
MYCEL_CPU_KERNEL(igamma_by_shape) {
  run_on_numbers<2>(kernel, [](double a, double x) { return lower_gamma_by_shape(a, x); });
}

MYCEL_OP(betainc)
    .names({.primitive = "Betainc"})
    .doc("Regularised incomplete beta function.")
    .input("a", "First shape, above 0.", kFloating)
    .input("b", "Second shape, above 0.", kFloating)
    .input("x", "Upper end of the integral, from 0 to 1.", kFloating)
    .output("output", "In the common shape, from 0 to 1.")
    .infer(infer_broadcast)
    .gradient(differentiate_beta)
    .keeps({"a", "b", "x"})
    .sample("plain", {positive({3, 4}), positive({3, 4}), uniform({3, 4}, 0.1, 0.9)})
    .sample("stretched", {positive({3, 1}), positive({4}), uniform({}, 0.1, 0.9)});
MYCEL_CPU_KERNEL(betainc) {
  run_on_numbers<3>(kernel, [](double a, double b, double x) {
    return incomplete_beta(Dual(a), Dual(b), x).value;
  });
}

MYCEL_OP(betainc_by_shape)
    .doc("Derivative of `betainc` by its first or second input.")
    .input("a", "First shape, above 0.", kFloating)
    .input("b", "Second shape, above 0.", kFloating)
    .input("x", "Upper end of the integral, from 0 to 1.", kFloating)
    .attribute("second", "By the second input.", false)
    .output("output", "In the common shape.")
    .infer(infer_broadcast)
    .not_differentiable()
    .sample("plain", {positive({3, 4}), positive({3, 4}), uniform({3, 4}, 0.1, 0.9)});
MYCEL_CPU_KERNEL(betainc_by_shape) {
  const double second = kernel.flag("second") ? 1 : 0;
  run_on_numbers<3>(kernel, [second](double a, double b, double x) {
    return incomplete_beta(Dual(a, 1 - second), Dual(b, second), x).slope;
  });
}

MYCEL_WRITES_MINDIR(betainc) { return stretched(call, "Betainc"); }

}  // namespace mycel::ops
