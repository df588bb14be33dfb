// SPDX-License-Identifier: Apache-2.0
#include "tensor/buffer_format.h"

#include "platform/error/error.h"

namespace mycel::tensor {
namespace {

using platform::ErrorKind;

struct Format {
  const char* code;
  DType dtype;
};
constexpr Format kFormats[] = {
    {"?", DType::Bool},        {"b", DType::Int8},    {"h", DType::Int16},
    {"i", DType::Int32},       {"l", DType::Int64},   {"q", DType::Int64},
    {"B", DType::UInt8},       {"H", DType::UInt16},  {"I", DType::UInt32},
    {"L", DType::UInt64},      {"Q", DType::UInt64},  {"e", DType::Float16},
    {"f", DType::Float32},     {"d", DType::Float64}, {"Zf", DType::Complex64},
    {"Zd", DType::Complex128},
};

}  // namespace

DType dtype_of_format(const char* format) {
  std::string_view code = format == nullptr ? "B" : format;
  if (!code.empty() && (code[0] == '@' || code[0] == '=' || code[0] == '<')) code.remove_prefix(1);
  for (const Format& known : kFormats) {
    if (code == known.code) return known.dtype;
  }
  platform::fail(ErrorKind::Type, "an array with elements of format '", code,
                 "' cannot become a Tensor");
}

const char* format_of(DType dtype) {
  for (const Format& known : kFormats) {
    if (known.dtype == dtype) return known.code;
  }
  platform::fail(ErrorKind::Type, "NumPy has no type for ", dtype);
}

}  // namespace mycel::tensor
