// SPDX-License-Identifier: Apache-2.0
// Gamma and beta distributed numbers from any stream with `uniform()` in [0, 1) and `normal()`.
#pragma once

#include <cmath>

namespace mycel::platform {

// Marsaglia and Tsang 2000: a squeezed transformation of a normal; shape below 1 through shape + 1.
template <class Stream>
double draw_gamma(Stream& stream, double shape) {
  if (shape < 1) {
    const double boost = std::pow(1 - stream.uniform(), 1 / shape);
    return draw_gamma(stream, shape + 1) * boost;
  }
  const double d = shape - 1.0 / 3.0;
  const double c = 1 / std::sqrt(9 * d);
  for (;;) {
    const double x = stream.normal();
    const double v = std::pow(1 + c * x, 3);
    if (v <= 0) continue;
    if (std::log(1 - stream.uniform()) < 0.5 * x * x + d - d * v + d * std::log(v)) return d * v;
  }
}

// The share of one gamma number in the sum of two. Tiny shapes can make both vanish: then the
// distribution has its mass at the two ends, and one of them is drawn.
template <class Stream>
double draw_beta(Stream& stream, double a, double b) {
  const double x = draw_gamma(stream, a);
  const double y = draw_gamma(stream, b);
  return x + y > 0 ? x / (x + y) : stream.uniform() < a / (a + b) ? 1.0 : 0.0;
}

}  // namespace mycel::platform
