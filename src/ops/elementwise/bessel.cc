// SPDX-License-Identifier: Apache-2.0
// Bessel functions of order 0 and 1.
#include <cmath>
#include <limits>
#include <numbers>

#include "ops/elementwise/number_functions.h"

namespace mycel::ops {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

// Hankel's expansion: sum of products of (mu - (2k - 1)^2) / (8 k x), alternating or not.
double expansion(int order, double x, double sign) {
  const double mu = 4.0 * order * order;
  double term = 1, sum = 0;
  for (int k = 1; k < 40 && std::abs(term) > 1e-17; ++k) {
    sum += term;
    const double odd = 2 * k - 1;
    term *= sign * (mu - odd * odd) / (8 * k * x);
  }
  return sum;
}

// exp(-|x|) I_n(x): the power series for small arguments, the expansion for large ones.
double scaled_i(int order, double x) {
  const double size = std::abs(x);
  if (std::isnan(x)) return kNan;
  if (std::isinf(x)) return 0;
  double result = 0;
  if (size < 30) {
    double term = order == 0 ? 1 : size / 2;
    for (int k = 1; k < 500 && (k < 4 || term > 1e-17 * result); ++k) {
      result += term;
      term *= size * size / 4 / (k * (k + order));
    }
    result *= std::exp(-size);
  } else {
    result = expansion(order, size, -1) / std::sqrt(2 * std::numbers::pi * size);
  }
  return order == 1 && x < 0 ? -result : result;
}

double modified_i(int order, double x) {
  if (std::isinf(x)) return order == 1 ? x : kInfinity;
  return scaled_i(order, x) * std::exp(std::abs(x));
}

double scaled_k(int order, double x) {
  if (!(x >= 0)) return kNan;
  if (x == 0) return kInfinity;
  if (x < 600) return std::cyl_bessel_k(order, x) * std::exp(x);
  return expansion(order, x, 1) * std::sqrt(std::numbers::pi / (2 * x));
}

double modified_k(int order, double x) {
  if (!(x > 0)) return x == 0 ? kInfinity : kNan;
  return x > 740 ? 0.0 : std::cyl_bessel_k(order, x);
}

double second_kind(int order, double x) {
  if (!(x >= 0)) return kNan;
  return order == 0 ? ::y0(x) : ::y1(x);
}

void chain(GradientContext& op, const Value& slope) {
  op.set_input_gradient(0, op.output_gradient(0) * slope);
}

Value at_input(GradientContext& op, std::string_view function) {
  return op.call(function, {op.input(0)});
}

// The function of order 1 divided by x; 1/2 at 0, where J and I are like x / 2.
Value over_input(GradientContext& op, std::string_view function) {
  const Value& x = op.input(0);
  const Value is_zero = op.call("equal", {x, op.emitter().number(0)});
  const Value safe = op.call("where", {is_zero, op.call("ones_like", {x}), x});
  const Value half = op.call("ones_like", {x}) * 0.5;
  return op.call("where", {is_zero, half, at_input(op, function) / safe});
}

}  // namespace

MYCEL_OP(bessel_j0)
    .names({.primitive = "BesselJ0", .function = "bessel_j0"})
    .doc("Bessel function of the first kind, order 0.")
    .input("x", "Any tensor.", kFloating)
    .output("output", "Elementwise result.")
    .infer(infer_broadcast)
    .gradient([](GradientContext& op) { chain(op, -at_input(op, "bessel_j1")); })
    .keeps({"x"})
    .sample("plain", {uniform({3, 4}, -9, 9)});
MYCEL_CPU_KERNEL(bessel_j0) {
  run_on_numbers<1>(kernel, [](double x) { return ::j0(x); });
}

MYCEL_OP(bessel_j1)
    .names({.primitive = "BesselJ1", .function = "bessel_j1"})
    .doc("Bessel function of the first kind, order 1.")
    .input("x", "Any tensor.", kFloating)
    .output("output", "Elementwise result.")
    .infer(infer_broadcast)
    .gradient([](GradientContext& op) {
      chain(op, at_input(op, "bessel_j0") - over_input(op, "bessel_j1"));
    })
    .keeps({"x"})
    .sample("plain", {uniform({3, 4}, -9, 9)});
MYCEL_CPU_KERNEL(bessel_j1) {
  run_on_numbers<1>(kernel, [](double x) { return ::j1(x); });
}

MYCEL_OP(bessel_y0)
    .names({.primitive = "BesselY0", .function = "bessel_y0"})
    .doc("Bessel function of the second kind, order 0.")
    .input("x", "Any tensor.", kFloating)
    .output("output", "Elementwise result.")
    .infer(infer_broadcast)
    .gradient([](GradientContext& op) { chain(op, -at_input(op, "bessel_y1")); })
    .keeps({"x"})
    .sample("plain", {uniform({3, 4}, 0.3, 9)});
MYCEL_CPU_KERNEL(bessel_y0) {
  run_on_numbers<1>(kernel, [](double x) { return second_kind(0, x); });
}

MYCEL_OP(bessel_y1)
    .names({.primitive = "BesselY1", .function = "bessel_y1"})
    .doc("Bessel function of the second kind, order 1.")
    .input("x", "Any tensor.", kFloating)
    .output("output", "Elementwise result.")
    .infer(infer_broadcast)
    .gradient([](GradientContext& op) {
      chain(op, at_input(op, "bessel_y0") - at_input(op, "bessel_y1") / op.input(0));
    })
    .keeps({"x"})
    .sample("plain", {uniform({3, 4}, 0.3, 9)});
MYCEL_CPU_KERNEL(bessel_y1) {
  run_on_numbers<1>(kernel, [](double x) { return second_kind(1, x); });
}

MYCEL_OP(bessel_i0)
    .names({.primitive = "BesselI0", .function = "bessel_i0"})
    .doc("Modified Bessel function of the first kind, order 0.")
    .input("x", "Any tensor.", kFloating)
    .output("output", "Elementwise result.")
    .infer(infer_broadcast)
    .gradient([](GradientContext& op) { chain(op, at_input(op, "bessel_i1")); })
    .keeps({"x"})
    .sample("plain", {uniform({3, 4}, -5, 5)});
MYCEL_CPU_KERNEL(bessel_i0) {
  run_on_numbers<1>(kernel, [](double x) { return modified_i(0, x); });
}

MYCEL_OP(bessel_i1)
    .names({.primitive = "BesselI1", .function = "bessel_i1"})
    .doc("Modified Bessel function of the first kind, order 1.")
    .input("x", "Any tensor.", kFloating)
    .output("output", "Elementwise result.")
    .infer(infer_broadcast)
    .gradient([](GradientContext& op) {
      chain(op, at_input(op, "bessel_i0") - over_input(op, "bessel_i1"));
    })
    .keeps({"x"})
    .sample("plain", {uniform({3, 4}, -5, 5)});
MYCEL_CPU_KERNEL(bessel_i1) {
  run_on_numbers<1>(kernel, [](double x) { return modified_i(1, x); });
}

MYCEL_OP(bessel_i0e)
    .names({.primitive = "BesselI0e", .function = "bessel_i0e"})
    .doc("`bessel_i0` times exp(-abs(x)).")
    .input("x", "Any tensor.", kFloating)
    .output("output", "Elementwise result.")
    .infer(infer_broadcast)
    .gradient([](GradientContext& op) {
      chain(op, at_input(op, "bessel_i1e") - at_input(op, "sign") * at_input(op, "bessel_i0e"));
    })
    .keeps({"x"})
    .sample("plain", {uniform({3, 4}, 0.3, 40)});
MYCEL_CPU_KERNEL(bessel_i0e) {
  run_on_numbers<1>(kernel, [](double x) { return scaled_i(0, x); });
}

MYCEL_OP(bessel_i1e)
    .names({.primitive = "BesselI1e", .function = "bessel_i1e"})
    .doc("`bessel_i1` times exp(-abs(x)).")
    .input("x", "Any tensor.", kFloating)
    .output("output", "Elementwise result.")
    .infer(infer_broadcast)
    .gradient([](GradientContext& op) {
      chain(op, at_input(op, "bessel_i0e") - over_input(op, "bessel_i1e") -
                    at_input(op, "sign") * at_input(op, "bessel_i1e"));
    })
    .keeps({"x"})
    .sample("plain", {uniform({3, 4}, 0.3, 40)});
MYCEL_CPU_KERNEL(bessel_i1e) {
  run_on_numbers<1>(kernel, [](double x) { return scaled_i(1, x); });
}

MYCEL_OP(bessel_k0)
    .names({.primitive = "BesselK0", .function = "bessel_k0"})
    .doc("Modified Bessel function of the second kind, order 0.")
    .input("x", "Any tensor.", kFloating)
    .output("output", "Elementwise result.")
    .infer(infer_broadcast)
    .gradient([](GradientContext& op) { chain(op, -at_input(op, "bessel_k1")); })
    .keeps({"x"})
    .sample("plain", {uniform({3, 4}, 0.3, 9)});
MYCEL_CPU_KERNEL(bessel_k0) {
  run_on_numbers<1>(kernel, [](double x) { return modified_k(0, x); });
}

MYCEL_OP(bessel_k1)
    .names({.primitive = "BesselK1", .function = "bessel_k1"})
    .doc("Modified Bessel function of the second kind, order 1.")
    .input("x", "Any tensor.", kFloating)
    .output("output", "Elementwise result.")
    .infer(infer_broadcast)
    .gradient([](GradientContext& op) {
      chain(op, -at_input(op, "bessel_k0") - at_input(op, "bessel_k1") / op.input(0));
    })
    .keeps({"x"})
    .sample("plain", {uniform({3, 4}, 0.3, 9)});
MYCEL_CPU_KERNEL(bessel_k1) {
  run_on_numbers<1>(kernel, [](double x) { return modified_k(1, x); });
}

MYCEL_OP(bessel_k0e)
    .names({.primitive = "BesselK0e", .function = "bessel_k0e"})
    .doc("`bessel_k0` times exp(x).")
    .input("x", "Any tensor.", kFloating)
    .output("output", "Elementwise result.")
    .infer(infer_broadcast)
    .gradient([](GradientContext& op) {
      chain(op, at_input(op, "bessel_k0e") - at_input(op, "bessel_k1e"));
    })
    .keeps({"x"})
    .sample("plain", {uniform({3, 4}, 0.3, 9)});
MYCEL_CPU_KERNEL(bessel_k0e) {
  run_on_numbers<1>(kernel, [](double x) { return scaled_k(0, x); });
}

MYCEL_OP(bessel_k1e)
    .names({.primitive = "BesselK1e", .function = "bessel_k1e"})
    .doc("`bessel_k1` times exp(x).")
    .input("x", "Any tensor.", kFloating)
    .output("output", "Elementwise result.")
    .infer(infer_broadcast)
    .gradient([](GradientContext& op) {
      const Value own = at_input(op, "bessel_k1e");
      chain(op, own - own / op.input(0) - at_input(op, "bessel_k0e"));
    })
    .keeps({"x"})
    .sample("plain", {uniform({3, 4}, 0.3, 9)});
MYCEL_CPU_KERNEL(bessel_k1e) {
  run_on_numbers<1>(kernel, [](double x) { return scaled_k(1, x); });
}

}  // namespace mycel::ops
