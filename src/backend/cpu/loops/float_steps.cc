// SPDX-License-Identifier: Apache-2.0
#include "backend/cpu/loops/float_functions.h"

namespace mycel::cpu::MYCEL_ISA {

// Recurrence up to where the asymptotic series is exact to the last bit; reflection below zero.
double digamma(double x) {
  if (x == 0) return __builtin_copysign(__builtin_inf(), -x);
  double shift = 0;
  if (x < 0) {
    if (x == ::floor(x)) return __builtin_nan("");
    const double fraction = x - ::floor(x);
    shift = -M_PI / ::tan(M_PI * fraction);
    x = 1 - x;
  }
  while (x < 10) {
    shift -= 1 / x;
    x += 1;
  }
  const double r = 1 / (x * x);
  const double series =
      r *
      (1.0 / 12 -
       r * (1.0 / 120 - r * (1.0 / 252 - r * (1.0 / 240 - r * (1.0 / 132 - r * 691.0 / 32760)))));
  return shift + ::log(x) - 0.5 / x - series;
}

// A rough start from Winitzki's closed form, then Halley's iteration on erf itself.
double inverse_erf(double x) {
  if (!(x > -1 && x < 1)) {
    return x == 1 || x == -1 ? x * __builtin_inf() : __builtin_nan("");
  }
  if (x == 0) return x;
  const double a = 0.147;
  const double log_term = ::log1p(-x * x);
  const double half = 2 / (M_PI * a) + log_term / 2;
  double y = ::copysign(::sqrt(::sqrt(half * half - log_term / a) - half), x);
  for (int step = 0; step < 3; ++step) {
    // Near +-1 the complement keeps the digits that erf has lost.
    const double error = x > 0.5    ? (1 - x) - ::erfc(y)
                         : x < -0.5 ? ::erfc(-y) - (1 + x)
                                    : ::erf(y) - x;
    const double slope = M_2_SQRTPI * ::exp(-y * y);
    const double newton = error / slope;
    y -= newton / (1 + y * newton);
  }
  return y;
}

void fill_float_steps(LoopTable& table) { fill_floating<float>(table, Number::F32, 0); }

}  // namespace mycel::cpu::MYCEL_ISA
