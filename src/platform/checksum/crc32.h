// SPDX-License-Identifier: Apache-2.0
// Cyclic redundancy checks of 32 bits.
#pragma once

#include <cstdint>
#include <string_view>

namespace mycel::platform {

// CRC-32 as zip, PNG and checkpoints use it. `before`: the result for the bytes that precede these.
std::uint32_t crc32(std::string_view bytes, std::uint32_t before = 0);

// CRC-32C (Castagnoli), as TFRecord and event files use it.
std::uint32_t crc32c(std::string_view bytes, std::uint32_t before = 0);

// The form in which those files store it: a checksum of data that holds checksums is weak, so it is
// rotated and shifted.
inline std::uint32_t masked_crc32c(std::string_view bytes) {
  const std::uint32_t crc = crc32c(bytes);
  return ((crc >> 15) | (crc << 17)) + 0xA282EAD8U;
}

}  // namespace mycel::platform
