// SPDX-License-Identifier: Apache-2.0
// Sound files: RIFF/WAVE with PCM of 8, 16, 24, 32 bits or floats, and NIST SPHERE with 16-bit PCM.
#pragma once

#include <cstdint>
#include <string>

#include "data/item.h"

namespace mycel::data {

// float32 [channels, time], where the largest sample of the format is 1. RuntimeError with path and
// reason for any other file.
Tensor read_wave(const std::string& path);
// The part from one second to another, cut at the end of the file.
Tensor read_wave(const std::string& path, double from, double to);
// From the header alone.
std::uint32_t wave_rate(const std::string& path);

}  // namespace mycel::data
