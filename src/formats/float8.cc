// SPDX-License-Identifier: Apache-2.0
#include "formats/float8.h"

#include <cmath>
#include <limits>

namespace mycel::formats {

float value_of(Float8 kind, unsigned char bits) {
  const bool has_infinity = kind == Float8::E5M2;
  const int mantissa_bits = has_infinity ? 2 : 3;
  const int bias = has_infinity ? 15 : 7;
  const int exponent = (bits & 0x7f) >> mantissa_bits;
  const int mantissa = bits & ((1 << mantissa_bits) - 1);
  const float sign = (bits & 0x80) != 0 ? -1.0F : 1.0F;
  if (has_infinity && exponent == 31)
    return mantissa == 0 ? sign * std::numeric_limits<float>::infinity()
                         : std::numeric_limits<float>::quiet_NaN();
  if (!has_infinity && (bits & 0x7f) == 0x7f) return std::numeric_limits<float>::quiet_NaN();
  const float fraction = static_cast<float>(mantissa) / static_cast<float>(1 << mantissa_bits) +
                         (exponent > 0 ? 1 : 0);
  return sign * std::ldexp(fraction, (exponent > 0 ? exponent : 1) - bias);
}

void widen(Float8 kind, std::string_view bytes, float* values) {
  for (const char byte : bytes) *values++ = value_of(kind, static_cast<unsigned char>(byte));
}

}  // namespace mycel::formats
