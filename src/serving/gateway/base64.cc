// SPDX-License-Identifier: Apache-2.0
#include "serving/gateway/base64.h"

#include <array>
#include <cstdint>

namespace mycel::serving {
namespace {

constexpr std::string_view kDigits =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
constexpr std::uint8_t kNone = 0xff;

constexpr std::array<std::uint8_t, 256> kValues = [] {
  std::array<std::uint8_t, 256> values{};
  values.fill(kNone);
  for (std::size_t i = 0; i < kDigits.size(); ++i)
    values[static_cast<std::uint8_t>(kDigits[i])] = static_cast<std::uint8_t>(i);
  return values;
}();

}  // namespace

std::string to_base64(std::span<const std::byte> bytes) {
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    std::uint32_t group = 0;
    for (std::size_t k = 0; k < 3; ++k)
      group = group << 8 | (i + k < bytes.size() ? static_cast<std::uint32_t>(bytes[i + k]) : 0);
    const std::size_t given = std::min<std::size_t>(bytes.size() - i, 3);
    for (std::size_t k = 0; k < 4; ++k)
      text.push_back(k <= given ? kDigits[group >> (18 - 6 * k) & 63] : '=');
  }
  return text;
}

std::optional<std::string> from_base64(std::string_view text) {
  if (text.size() % 4 != 0) return std::nullopt;
  std::size_t padding = 0;
  while (padding < 2 && text.ends_with('=')) {
    text.remove_suffix(1);
    ++padding;
  }
  std::string bytes;
  bytes.reserve(text.size() * 3 / 4);
  std::uint32_t group = 0;
  int bits = 0;
  for (const char digit : text) {
    const std::uint8_t value = kValues[static_cast<std::uint8_t>(digit)];
    if (value == kNone) return std::nullopt;
    group = group << 6 | value;
    bits += 6;
    if (bits < 8) continue;
    bits -= 8;
    bytes.push_back(static_cast<char>(group >> bits & 0xff));
  }
  return bytes;
}

}  // namespace mycel::serving
