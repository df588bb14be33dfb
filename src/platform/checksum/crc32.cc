// SPDX-License-Identifier: Apache-2.0
#include "platform/checksum/crc32.h"

#include <array>
#include <bit>
#include <cstddef>
#include <cstring>

namespace mycel::platform {

namespace {

static_assert(std::endian::native == std::endian::little, "eight bytes are taken as one number");

using Tables = std::array<std::array<std::uint32_t, 256>, 8>;

constexpr Tables make_tables(std::uint32_t reversed_polynomial) {
  Tables tables{};
  for (std::uint32_t byte = 0; byte < 256; ++byte) {
    std::uint32_t crc = byte;
    for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1) ^ ((crc & 1) != 0 ? reversed_polynomial : 0);
    tables[0][byte] = crc;
  }
  for (std::size_t k = 1; k < tables.size(); ++k)
    for (std::size_t byte = 0; byte < 256; ++byte)
      tables[k][byte] = (tables[k - 1][byte] >> 8) ^ tables[0][tables[k - 1][byte] & 0xFF];
  return tables;
}

constexpr Tables kZipTables = make_tables(0xEDB88320);
constexpr Tables kCastagnoliTables = make_tables(0x82F63B78);

// Eight bytes a step, a table for each of their places.
std::uint32_t run(const Tables& tables, std::string_view bytes, std::uint32_t before) {
  std::uint32_t crc = ~before;
  const char* p = bytes.data();
  std::size_t left = bytes.size();
  for (; left >= 8; left -= 8, p += 8) {
    std::uint64_t word;
    std::memcpy(&word, p, 8);
    word ^= crc;
    crc = 0;
    for (std::size_t k = 0; k < 8; ++k) crc ^= tables[7 - k][(word >> (8 * k)) & 0xFF];
  }
  for (; left > 0; --left, ++p)
    crc = (crc >> 8) ^ tables[0][(crc ^ static_cast<unsigned char>(*p)) & 0xFF];
  return ~crc;
}

}  // namespace

std::uint32_t crc32(std::string_view bytes, std::uint32_t before) {
  return run(kZipTables, bytes, before);
}

std::uint32_t crc32c(std::string_view bytes, std::uint32_t before) {
  return run(kCastagnoliTables, bytes, before);
}

}  // namespace mycel::platform
