// SPDX-License-Identifier: Apache-2.0
#include "data/record/message_pack.h"

#include <bit>
#include <limits>

#include "platform/error/error.h"

namespace mycel::data {

using platform::ErrorKind;
using platform::fail;
using platform::require;

namespace {

void put(std::string& out, int tag, std::uint64_t value, int bytes) {
  out.push_back(static_cast<char>(tag));
  for (int shift = 8 * (bytes - 1); shift >= 0; shift -= 8)
    out.push_back(static_cast<char>(value >> shift));
}

// Sign of the low `bytes` bytes spread over all.
std::int64_t sign_extended(std::uint64_t value, int bytes) {
  const int shift = 64 - 8 * bytes;
  return static_cast<std::int64_t>(value << shift) >> shift;
}

}  // namespace

void pack_map(std::string& out, std::size_t members) {
  if (members < 16) return out.push_back(static_cast<char>(0x80 | members));
  members < 65536 ? put(out, 0xDE, members, 2) : put(out, 0xDF, members, 4);
}

void pack_string(std::string& out, std::string_view text) {
  require(text.size() <= std::numeric_limits<std::uint32_t>::max(), ErrorKind::Value,
          "a string of ", text.size(), " bytes is longer than the format allows");
  if (text.size() < 32) {
    out.push_back(static_cast<char>(0xA0 | text.size()));
  } else if (text.size() < 256) {
    put(out, 0xD9, text.size(), 1);
  } else {
    text.size() < 65536 ? put(out, 0xDA, text.size(), 2) : put(out, 0xDB, text.size(), 4);
  }
  out += text;
}

void pack_integer(std::string& out, std::int64_t value) {
  const auto bits = static_cast<std::uint64_t>(value);
  if (value >= -32 && value < 128) return out.push_back(static_cast<char>(value));
  if (value >= 0) {
    if (bits < 256) return put(out, 0xCC, bits, 1);
    if (bits < 65536) return put(out, 0xCD, bits, 2);
    return bits >> 32 == 0 ? put(out, 0xCE, bits, 4) : put(out, 0xCF, bits, 8);
  }
  if (value >= -128) return put(out, 0xD0, bits, 1);
  if (value >= -32768) return put(out, 0xD1, bits, 2);
  return value >= std::numeric_limits<std::int32_t>::min() ? put(out, 0xD2, bits, 4)
                                                           : put(out, 0xD3, bits, 8);
}

void pack_real(std::string& out, double value) {
  constexpr double kLimit = std::numeric_limits<float>::max();
  if (value >= -kLimit && value <= kLimit &&
      static_cast<double>(static_cast<float>(value)) == value)
    return put(out, 0xCA, std::bit_cast<std::uint32_t>(static_cast<float>(value)), 4);
  put(out, 0xCB, std::bit_cast<std::uint64_t>(value), 8);
}

void MessageReader::mistake(std::string_view expected, std::uint8_t got) const {
  fail(ErrorKind::Runtime, "byte ", at_ - 1, " of the scalars: expected ", expected,
       ", but got MessagePack type ", static_cast<int>(got));
}

std::string_view MessageReader::take(std::uint64_t bytes) {
  require(bytes <= bytes_.size() - at_, ErrorKind::Runtime, "byte ", at_,
          " of the scalars: ", bytes, " bytes were expected, but ", bytes_.size() - at_,
          " are left");
  const std::string_view part = bytes_.substr(at_, bytes);
  at_ += bytes;
  return part;
}

std::uint8_t MessageReader::byte() { return static_cast<std::uint8_t>(take(1)[0]); }

std::uint64_t MessageReader::big_endian(int bytes) {
  std::uint64_t value = 0;
  for (const char part : take(static_cast<std::uint64_t>(bytes)))
    value = value << 8 | static_cast<std::uint8_t>(part);
  return value;
}

std::size_t MessageReader::map() {
  const std::uint8_t tag = byte();
  if ((tag & 0xF0) == 0x80) return tag & 0x0F;
  if (tag == 0xDE) return big_endian(2);
  if (tag == 0xDF) return big_endian(4);
  mistake("a map", tag);
}

std::string_view MessageReader::string() {
  const std::uint8_t tag = byte();
  if ((tag & 0xE0) == 0xA0) return take(tag & 0x1F);
  if (tag >= 0xD9 && tag <= 0xDB) return take(big_endian(1 << (tag - 0xD9)));
  mistake("a string", tag);
}

std::variant<std::monostate, std::int64_t, double, std::string_view> MessageReader::scalar() {
  const std::uint8_t tag = byte();
  if (tag < 0x80 || tag >= 0xE0) return static_cast<std::int64_t>(static_cast<std::int8_t>(tag));
  if (tag == 0xCA)
    return static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(big_endian(4))));
  if (tag == 0xCB) return std::bit_cast<double>(big_endian(8));
  if (tag >= 0xCC && tag <= 0xCF) {
    const std::uint64_t value = big_endian(1 << (tag - 0xCC));
    require(value >> 63 == 0, ErrorKind::Runtime, "the integer ", value, " does not fit 64 bits");
    return static_cast<std::int64_t>(value);
  }
  if (tag >= 0xD0 && tag <= 0xD3) {
    const int bytes = 1 << (tag - 0xD0);
    return sign_extended(big_endian(bytes), bytes);
  }
  if ((tag & 0xE0) == 0xA0 || (tag >= 0xD9 && tag <= 0xDB)) {
    --at_;
    return string();
  }
  mistake("a number or a string", tag);
}

}  // namespace mycel::data
