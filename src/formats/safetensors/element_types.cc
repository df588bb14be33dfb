// SPDX-License-Identifier: Apache-2.0
#include "formats/safetensors/element_types.h"

#include <cstring>
#include <utility>

#include "platform/error/error.h"

namespace mycel::formats {

using tensor::DType;

namespace {

constexpr std::uint64_t kMostZeros = 1 << 20;

constexpr std::pair<std::string_view, DType> kTypes[] = {
    {"C128", DType::Complex128}, {"C64", DType::Complex64}, {"U64", DType::UInt64},
    {"I64", DType::Int64},       {"F64", DType::Float64},   {"F32", DType::Float32},
    {"U32", DType::UInt32},      {"I32", DType::Int32},     {"BF16", DType::BFloat16},
    {"F16", DType::Float16},     {"U16", DType::UInt16},    {"I16", DType::Int16},
    {"I8", DType::Int8},         {"U8", DType::UInt8},      {"BOOL", DType::Bool},
};

}  // namespace

int safetensors_rank(DType dtype) {
  int rank = 0;
  for (const auto& [name, type] : kTypes) {
    if (type == dtype) break;
    ++rank;
  }
  return rank;
}

std::string_view safetensors_name(DType dtype) {
  platform::require(dtype != DType::Complex128, platform::ErrorKind::Type,
                    "A safetensors file cannot hold Complex128: save a .ckpt file, or cast to "
                    "Complex64.");
  return kTypes[safetensors_rank(dtype)].first;
}

std::optional<DType> dtype_of_safetensors(std::string_view name) {
  for (const auto& [known, type] : kTypes) {
    if (known == name && type != DType::Complex128) return type;
  }
  return std::nullopt;
}

std::optional<std::uint64_t> zeros_counted(DType dtype, std::string_view content) {
  if (!tensor::is_integral(dtype) || content.empty()) return std::nullopt;
  const bool is_negative = tensor::is_signed_integer(dtype) && (content.back() & 0x80) != 0;
  std::uint64_t value = 0;
  std::memcpy(&value, content.data(), content.size());
  return is_negative || value > kMostZeros ? std::nullopt : std::optional(value);
}

}  // namespace mycel::formats
