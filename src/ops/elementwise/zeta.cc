// SPDX-License-Identifier: Apache-2.0
// Hurwitz zeta function and derivatives of the digamma function.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "ops/elementwise/mindir_elements.h"
#include "ops/elementwise/number_functions.h"

namespace mycel::ops {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

// sum of (q + k)^-x over all k >= 0, by the Euler-Maclaurin formula (DLMF 25.11.5).
double zeta_of(double x, double q) {
  if (std::isnan(x) || std::isnan(q) || x < 1) return kNan;
  if (x == 1) return kInfinity;
  if (q <= 0 && q == std::floor(q)) return kInfinity;
  if (q <= 0 && x != std::floor(x)) return kNan;
  // The formula is exact enough beyond the exponent.
  const double far = 12 + std::min(x, 1000.0);
  double sum = 0, at = q;
  for (int k = 0; at < far && k < 100000; ++k, ++at) sum += std::pow(at, -x);
  const double tail = std::pow(at, -x);
  sum += at * tail / (x - 1) + tail / 2;
  // Bernoulli numbers divided by factorials: B_2 / 2!, B_4 / 4!, ...
  constexpr double kBernoulli[] = {1.0 / 12,           -1.0 / 720,     1.0 / 30240,
                                   -1.0 / 1209600,     1.0 / 47900160, -691.0 / 1307674368000.0,
                                   1.0 / 74724249600.0};
  double factor = x * tail / at;
  for (int j = 0; j < 7; ++j) {
    sum += kBernoulli[j] * factor;
    factor *= (x + 2 * j + 1) * (x + 2 * j + 2) / (at * at);
  }
  return sum;
}

double digamma_of(double x) {
  if (x <= 0 && x == std::floor(x)) return kNan;
  if (x < 0) return digamma_of(1 - x) - std::numbers::pi / std::tan(std::numbers::pi * x);
  double result = 0;
  for (; x < 10; ++x) result -= 1 / x;
  const double s = 1 / (x * x);
  const double series =
      s * (1.0 / 12 - s * (1.0 / 120 - s * (1.0 / 252 - s * (1.0 / 240 - s * (1.0 / 132)))));
  return result + std::log(x) - 0.5 / x - series;
}

double polygamma_of(double n, double x) {
  if (n < 0 || n != std::floor(n)) return kNan;
  if (n == 0) return digamma_of(x);
  const double sign = std::fmod(n, 2) == 0 ? -1 : 1;
  return sign * std::tgamma(n + 1) * zeta_of(n + 1, x);
}

}  // namespace

MYCEL_OP(zeta)
    .names({.primitive = "Zeta", .function = "zeta"})
    .doc("Hurwitz zeta function: the sum of (other + k)^-input over all k from 0.")
    .input("input", "Exponents, above 1.", kFloating)
    .input("other", "Where the sum begins.", kFloating)
    .output("output", "In the common shape.")
    .infer(infer_broadcast)
    .not_differentiable()
    .sample("plain", {uniform({3, 4}, 1.5, 6), positive({3, 4})})
    .sample("stretched", {uniform({3, 1}, 1.5, 6), positive({4})});
MYCEL_CPU_KERNEL(zeta) { run_on_numbers<2>(kernel, zeta_of); }

MYCEL_OP(polygamma)
    .names({.primitive = "Polygamma", .function = "polygamma"})
    .doc("Derivatives of `digamma`.")
    .input("n", "Which derivative, from 0.", kIndex | kFloating)
    .input("input", "Any tensor.", kFloating)
    .output("output", "In the common shape.")
    .infer([](InferContext& op) {
      op.cast_input(0, DType::Float64);
      op.set_output(0, op.input(1).dtype,
                    broadcast_shapes(op.input(0).shape, op.input(1).shape, op.name()));
    })
    .gradient([](GradientContext& op) {
      const Value order = op.call("cast", {op.input(0)}, {{"dtype", DType::Float64}});
      const Value next = order + 1.0;
      const Value slope = op.call("polygamma", {next, op.input(1)});
      op.set_input_gradient(1, sum_to(op.output_gradient(0) * slope, op.input_specs[1]));
    })
    .keeps({"n", "input"})
    .sample("plain", {integers({3, 4}, 0, 4), positive({3, 4})})
    .sample("one order", {integers({}, 1, 2), positive({4})});
MYCEL_CPU_KERNEL(polygamma) { run_on_numbers<2>(kernel, polygamma_of); }

MYCEL_WRITES_MINDIR(zeta) { return stretched(call, "Zeta"); }

MYCEL_WRITES_MINDIR(polygamma) {
  const auto order = call.unconverted(0).to(DType::Int64);
  return order.add("Polygamma", {call.typed(1)}, {.shape = call.shape(), .dtype = call.dtype()});
}

}  // namespace mycel::ops
