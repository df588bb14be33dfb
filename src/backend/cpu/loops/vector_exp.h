// SPDX-License-Identifier: Apache-2.0
// Exponentials in a form the compiler turns into fast vector code. Only for files of this
// folder: it is compiled once per instruction set.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

namespace mycel::backend::MYCEL_ISA {

// exp(x) for x <= 0, as differences from a maximum are, within 2 units of the last place. Results
// below the smallest normal number become 0; NaN stays. Larger x are good up to 88.
inline float vector_exp(float x) {
  constexpr float kRound = 12582912.0F;  // adding it leaves an integer in the low bits
  const float shifted = x * 1.44269504088896341F + kRound;
  const float n = shifted - kRound;
  const float r = (x - n * 0.693359375F) + n * 2.12194440e-4F;
  float p = 1.9875691500e-4F;
  p = p * r + 1.3981999507e-3F;
  p = p * r + 8.3334519073e-3F;
  p = p * r + 4.1665795894e-2F;
  p = p * r + 1.6666665459e-1F;
  p = p * r + 5.0000001201e-1F;
  p = p * (r * r) + (r + 1.0F);
  constexpr std::uint32_t kBias = 127U - 0x4B400000U;  // the second number is kRound as bits
  const float power = std::bit_cast<float>((std::bit_cast<std::uint32_t>(shifted) + kBias) << 23U);
  return x < -87.33F ? 0.0F : p * power;
}

inline double vector_exp(double x) { return std::exp(x); }

}  // namespace mycel::backend::MYCEL_ISA
