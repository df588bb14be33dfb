// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "platform/error/error.h"

namespace mycel::serving {

// What a value's elements are. The numbers are those of MindSpore Serving's protocol, where there
// is one; bfloat16 is known to the Open Inference Protocol alone.
enum class ElementType : std::uint8_t {
  Unknown,
  Bool,
  Int8,
  UInt8,
  Int16,
  UInt16,
  Int32,
  UInt32,
  Int64,
  UInt64,
  Float16,
  Float32,
  Float64,
  String,
  Bytes,
  BFloat16,
};

std::string_view name_of(ElementType type);
// Bytes of one element; 0 for text and bytes, whose elements have lengths of their own.
std::size_t size_of(ElementType type);
constexpr bool is_text(ElementType type) {
  return type == ElementType::String || type == ElementType::Bytes;
}

using Dims = std::vector<std::int64_t>;
constexpr std::size_t kMostDims = 64;

// Product of the lengths; an error when it does not fit, when a length is negative, or when there
// are too many of them.
platform::Result<std::size_t> element_count(std::span<const std::int64_t> dims);
std::string to_string(std::span<const std::int64_t> dims);

// One tensor of a request or of a result: little-endian, row-major. Elements of text and bytes each
// begin with their length in four bytes. The bytes belong to `owner`, so copies of a value are
// cheap and a value may be a part of whatever message it came in.
struct Value {
  ElementType type = ElementType::Unknown;
  Dims dims;
  std::span<const std::byte> bytes;
  std::shared_ptr<const void> owner;
};

// A value with bytes of its own.
Value make_value(ElementType type, Dims dims, std::span<const std::byte> bytes);
// Text or bytes, one element per part.
Value make_text(ElementType type, Dims dims, std::span<const std::string_view> parts);
// The elements of text or bytes. An error when the lengths in it do not add up.
platform::Result<std::vector<std::string_view>> text_elements(const Value& value);
// Nothing is wrong: as many bytes as type and lengths ask for. Otherwise what is wrong.
platform::Result<std::size_t> check(const Value& value);

}  // namespace mycel::serving
