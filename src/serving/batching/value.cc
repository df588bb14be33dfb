// SPDX-License-Identifier: Apache-2.0
#include "serving/batching/value.h"

#include <algorithm>
#include <cstring>
#include <limits>

namespace mycel::serving {
namespace {

using platform::Error;
using platform::ErrorKind;
using platform::join;
using platform::Result;

constexpr std::size_t kLengthBytes = 4;

std::shared_ptr<std::byte[]> take_bytes(std::size_t size) {
  return std::make_shared_for_overwrite<std::byte[]>(std::max<std::size_t>(size, 1));
}

}  // namespace

std::string_view name_of(ElementType type) {
  switch (type) {
    case ElementType::Unknown: return "unknown";
    case ElementType::Bool: return "bool";
    case ElementType::Int8: return "int8";
    case ElementType::UInt8: return "uint8";
    case ElementType::Int16: return "int16";
    case ElementType::UInt16: return "uint16";
    case ElementType::Int32: return "int32";
    case ElementType::UInt32: return "uint32";
    case ElementType::Int64: return "int64";
    case ElementType::UInt64: return "uint64";
    case ElementType::Float16: return "float16";
    case ElementType::Float32: return "float32";
    case ElementType::Float64: return "float64";
    case ElementType::String: return "string";
    case ElementType::Bytes: return "bytes";
    case ElementType::BFloat16: return "bfloat16";
  }
  return "?";
}

std::size_t size_of(ElementType type) {
  switch (type) {
    case ElementType::Bool:
    case ElementType::Int8:
    case ElementType::UInt8: return 1;
    case ElementType::Int16:
    case ElementType::UInt16:
    case ElementType::Float16:
    case ElementType::BFloat16: return 2;
    case ElementType::Int32:
    case ElementType::UInt32:
    case ElementType::Float32: return 4;
    case ElementType::Int64:
    case ElementType::UInt64:
    case ElementType::Float64: return 8;
    case ElementType::Unknown:
    case ElementType::String:
    case ElementType::Bytes: return 0;
  }
  return 0;
}

Result<std::size_t> element_count(std::span<const std::int64_t> dims) {
  if (dims.size() > kMostDims)
    return Error(ErrorKind::Value,
                 join("a shape of ", dims.size(), " dimensions is illegal; at most ", kMostDims,
                      " are possible"));
  // A length of zero makes the whole empty, however large the others are.
  std::uint64_t count = 1;
  bool is_too_many = false;
  for (const std::int64_t length : dims) {
    if (length < 0) return Error(ErrorKind::Value, join("shape ", to_string(dims), " is illegal"));
    is_too_many |= __builtin_mul_overflow(count, static_cast<std::uint64_t>(length), &count);
  }
  if (std::ranges::find(dims, 0) != dims.end()) return std::size_t{0};
  if (is_too_many || count > std::numeric_limits<std::size_t>::max() / sizeof(double))
    return Error(ErrorKind::Value, join("shape ", to_string(dims), " has too many elements"));
  return static_cast<std::size_t>(count);
}

std::string to_string(std::span<const std::int64_t> dims) {
  std::string text = "[";
  for (std::size_t i = 0; i < dims.size(); ++i) text += join(i == 0 ? "" : ", ", dims[i]);
  return text + "]";
}

Value make_value(ElementType type, Dims dims, std::span<const std::byte> bytes) {
  const std::shared_ptr<std::byte[]> own = take_bytes(bytes.size());
  std::ranges::copy(bytes, own.get());
  return {type, std::move(dims), {own.get(), bytes.size()}, own};
}

Value make_text(ElementType type, Dims dims, std::span<const std::string_view> parts) {
  std::size_t size = 0;
  for (const std::string_view part : parts) size += kLengthBytes + part.size();
  const std::shared_ptr<std::byte[]> own = take_bytes(size);
  std::byte* at = own.get();
  for (const std::string_view part : parts) {
    const auto length = static_cast<std::uint32_t>(part.size());
    std::memcpy(at, &length, kLengthBytes);
    if (!part.empty()) std::memcpy(at + kLengthBytes, part.data(), part.size());
    at += kLengthBytes + part.size();
  }
  return {type, std::move(dims), {own.get(), size}, own};
}

Result<std::vector<std::string_view>> text_elements(const Value& value) {
  std::vector<std::string_view> parts;
  std::span<const std::byte> rest = value.bytes;
  while (!rest.empty()) {
    std::uint32_t length = 0;
    if (rest.size() >= kLengthBytes) std::memcpy(&length, rest.data(), kLengthBytes);
    if (rest.size() < kLengthBytes || rest.size() - kLengthBytes < length)
      return Error(ErrorKind::Value, join("element ", parts.size(), " is cut off"));
    parts.emplace_back(reinterpret_cast<const char*>(rest.data()) + kLengthBytes, length);
    rest = rest.subspan(kLengthBytes + length);
  }
  return parts;
}

Result<std::size_t> check(const Value& value) {
  Result<std::size_t> count = element_count(value.dims);
  if (!count) return count;
  if (is_text(value.type)) {
    const Result<std::vector<std::string_view>> parts = text_elements(value);
    if (!parts) return parts.error();
    if (parts.value().size() == count.value()) return count;
    return Error(ErrorKind::Value, join("shape ", to_string(value.dims), " has ", count.value(),
                                        " elements, but ", parts.value().size(), " are given"));
  }
  const std::size_t expected = count.value() * size_of(value.type);
  if (value.bytes.size() == expected) return count;
  return Error(ErrorKind::Value, join("size is not matched: shape ", to_string(value.dims), " of ",
                                      name_of(value.type), " needs ", expected, " bytes, but ",
                                      value.bytes.size(), " are given"));
}

}  // namespace mycel::serving
