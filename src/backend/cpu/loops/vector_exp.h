// SPDX-License-Identifier: Apache-2.0
// exp() in a form the compiler turns into vector code. Only for files of this folder: it is
// compiled once per instruction set.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

namespace mycel::backend::MYCEL_ISA {

// Within 2 units of the last place; denormal results, infinities and NaN as std::exp.
inline float vector_exp(float x) {
  const float low = x < -104.0F ? -104.0F : x;
  const float clamped = low > 89.0F ? 89.0F : low;
  constexpr float kRound = 12582912.0F;  // adding it leaves an integer in the low bits
  const float shifted = clamped * 1.44269504088896341F + kRound;
  const float n = shifted - kRound;
  const float r = (clamped - n * 0.693359375F) + n * 2.12194440e-4F;
  float p = 1.9875691500e-4F;
  p = p * r + 1.3981999507e-3F;
  p = p * r + 8.3334519073e-3F;
  p = p * r + 4.1665795894e-2F;
  p = p * r + 1.6666665459e-1F;
  p = p * r + 5.0000001201e-1F;
  p = p * r * r + r + 1.0F;
  // 2^n in two factors: one alone cannot reach the denormals.
  const std::int32_t exponent =
      std::bit_cast<std::int32_t>(shifted) - std::bit_cast<std::int32_t>(kRound);
  const std::int32_t half = exponent >> 1;
  const float first = std::bit_cast<float>((half + 127) << 23);
  const float second = std::bit_cast<float>((exponent - half + 127) << 23);
  return p * first * second;
}

inline double vector_exp(double x) { return std::exp(x); }

}  // namespace mycel::backend::MYCEL_ISA
