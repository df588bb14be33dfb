// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace mycel::formats {

// Floats of eight bits, which other programs write and which become float32 here: four bits of
// exponent and three of mantissa without infinity, or five and two.
enum class Float8 : std::uint8_t { No, E4M3, E5M2 };

float value_of(Float8 kind, unsigned char bits);
void widen(Float8 kind, std::string_view bytes, float* values);

}  // namespace mycel::formats
