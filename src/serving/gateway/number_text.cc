// SPDX-License-Identifier: Apache-2.0
#include "serving/gateway/number_text.h"

#include <bit>
#include <charconv>
#include <cmath>
#include <cstring>
#include <span>

#include "platform/json/json.h"
#include "serving/gateway/base64.h"

namespace mycel::serving {
namespace {

constexpr std::size_t kNumberChars = 32;

template <class Number>
void append_number(std::string& text, Number value) {
  if constexpr (std::is_floating_point_v<Number>) {
    if (!std::isfinite(value)) {
      text += std::isnan(value) ? "NaN" : value > 0 ? "Infinity" : "-Infinity";
      return;
    }
  }
  char digits[kNumberChars];
  const auto [end, error] = std::to_chars(digits, digits + kNumberChars, value);
  text.append(digits, end);
  // A whole number of a floating type stays one of that type for whoever reads it.
  if constexpr (std::is_floating_point_v<Number>)
    if (std::string_view(digits, static_cast<std::size_t>(end - digits)).find_first_of(".e") ==
        std::string_view::npos)
      text += ".0";
}

template <class Number>
Number element(const Value& value, std::size_t i) {
  Number number;
  std::memcpy(&number, value.bytes.data() + i * sizeof number, sizeof number);
  return number;
}

void append_element(std::string& text, const Value& value, std::size_t i) {
  switch (value.type) {
    case ElementType::Bool: text += element<std::uint8_t>(value, i) != 0 ? "true" : "false"; return;
    case ElementType::Int8: return append_number(text, int{element<std::int8_t>(value, i)});
    case ElementType::UInt8: return append_number(text, int{element<std::uint8_t>(value, i)});
    case ElementType::Int16: return append_number(text, element<std::int16_t>(value, i));
    case ElementType::UInt16: return append_number(text, element<std::uint16_t>(value, i));
    case ElementType::Int32: return append_number(text, element<std::int32_t>(value, i));
    case ElementType::UInt32: return append_number(text, element<std::uint32_t>(value, i));
    case ElementType::Int64: return append_number(text, element<std::int64_t>(value, i));
    case ElementType::UInt64: return append_number(text, element<std::uint64_t>(value, i));
    case ElementType::Float16:
      return append_number(text, from_float16(element<std::uint16_t>(value, i)));
    case ElementType::BFloat16:
      return append_number(text, from_bfloat16(element<std::uint16_t>(value, i)));
    case ElementType::Float32: return append_number(text, element<float>(value, i));
    case ElementType::Float64: return append_number(text, element<double>(value, i));
    case ElementType::Unknown:
    case ElementType::String:
    case ElementType::Bytes: return;
  }
}

// What is no UTF-8 is replaced byte by byte, as browsers do. Where text comes from a request's path
// or from a function's exception, it may be anything.
std::string as_utf8(std::string_view value) {
  constexpr std::string_view kReplacement = "\xEF\xBF\xBD";
  constexpr std::size_t kLongest = 4;
  std::string text;
  while (!value.empty()) {
    std::size_t size = 1;
    while (size <= kLongest && size <= value.size() && !platform::is_utf8(value.substr(0, size)))
      ++size;
    const bool is_character = size <= kLongest && size <= value.size();
    text += is_character ? value.substr(0, size) : kReplacement;
    value.remove_prefix(is_character ? size : 1);
  }
  return text;
}

template <class Append>
void append_nested(std::string& text, std::span<const std::int64_t> dims, std::size_t& next,
                   const Append& append) {
  if (dims.empty()) return append(next++);
  text.push_back('[');
  for (std::int64_t i = 0; i < dims.front(); ++i) {
    if (i != 0) text.push_back(',');
    append_nested(text, dims.subspan(1), next, append);
  }
  text.push_back(']');
}

}  // namespace

float from_bfloat16(std::uint16_t bits) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16);
}

float from_float16(std::uint16_t bits) {
  const std::uint32_t sign = static_cast<std::uint32_t>(bits & 0x8000) << 16;
  const std::uint32_t exponent = bits >> 10 & 0x1f;
  const std::uint32_t fraction = bits & 0x3ff;
  if (exponent == 0)  // zero, or too small for a leading one
    return std::copysign(std::ldexp(static_cast<float>(fraction), -24), sign != 0 ? -1.0f : 1.0f);
  const std::uint32_t wide = exponent == 0x1f ? 0xff : exponent + (127 - 15);
  return std::bit_cast<float>(sign | wide << 23 | fraction << 13);
}

void append_string(std::string& text, std::string_view value) {
  text += platform::Json(platform::is_utf8(value) ? std::string(value) : as_utf8(value)).text();
}

void append_elements(std::string& text, const Value& value) {
  std::size_t next = 0;
  if (!is_text(value.type)) {
    append_nested(text, value.dims, next, [&](std::size_t i) { append_element(text, value, i); });
    return;
  }
  const std::vector<std::string_view> parts = text_elements(value).value();
  append_nested(text, value.dims, next, [&](std::size_t i) { append_string(text, parts[i]); });
}

}  // namespace mycel::serving
