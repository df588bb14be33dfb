// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cstdint>

#include <immintrin.h>

namespace mycel::tensor {

// Storage types of 16-bit floating point. Arithmetic happens in float.
struct Float16 {
  std::uint16_t bits = 0;
  Float16() = default;
  Float16(float value)
      : bits(static_cast<std::uint16_t>(_cvtss_sh(value, _MM_FROUND_TO_NEAREST_INT))) {}
  operator float() const { return _cvtsh_ss(bits); }
};

struct BFloat16 {
  std::uint16_t bits = 0;
  BFloat16() = default;
  BFloat16(float value) : bits(round(value)) {}
  operator float() const { return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16); }

 private:
  static std::uint16_t round(float value) {
    const std::uint32_t word = std::bit_cast<std::uint32_t>(value);
    if ((word & 0x7fffffffU) > 0x7f800000U) return static_cast<std::uint16_t>((word >> 16) | 0x40U);
    return static_cast<std::uint16_t>((word + 0x7fffU + ((word >> 16) & 1U)) >>
                                      16);  // nearest even
  }
};

static_assert(sizeof(Float16) == 2 && sizeof(BFloat16) == 2);

}  // namespace mycel::tensor
