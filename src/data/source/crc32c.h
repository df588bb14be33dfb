// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

namespace mycel::data {

// CRC-32C (Castagnoli), as TFRecord files use it.
std::uint32_t crc32c(std::string_view bytes);

// The form in which TFRecord stores it: a checksum of data that holds checksums is weak, so it is
// rotated and shifted.
inline std::uint32_t masked_crc32c(std::string_view bytes) {
  const std::uint32_t crc = crc32c(bytes);
  return ((crc >> 15) | (crc << 17)) + 0xA282EAD8U;
}

}  // namespace mycel::data
