// SPDX-License-Identifier: Apache-2.0
#include "tensor/dtype.h"

#include <algorithm>
#include <array>
#include <string>

namespace mycel::tensor {
namespace {

using platform::ErrorKind;

struct Description {
  std::string_view name;
  std::string_view python_name;
  std::size_t bytes;
};

constexpr std::array<Description, kDTypeCount> kDescriptions = {{
    {"Bool", "bool_", 1},
    {"Int8", "int8", 1},
    {"Int16", "int16", 2},
    {"Int32", "int32", 4},
    {"Int64", "int64", 8},
    {"UInt8", "uint8", 1},
    {"UInt16", "uint16", 2},
    {"UInt32", "uint32", 4},
    {"UInt64", "uint64", 8},
    {"Float16", "float16", 2},
    {"BFloat16", "bfloat16", 2},
    {"Float32", "float32", 4},
    {"Float64", "float64", 8},
    {"Complex64", "complex64", 8},
    {"Complex128", "complex128", 16},
}};

const Description& describe(DType dtype) { return kDescriptions[static_cast<std::size_t>(dtype)]; }

DType signed_of_bytes(std::size_t bytes) {
  switch (bytes) {
    case 1: return DType::Int8;
    case 2: return DType::Int16;
    case 4: return DType::Int32;
    default: return DType::Int64;
  }
}

DType promote_integers(DType a, DType b) {
  if (is_unsigned(a) == is_unsigned(b)) return size_of(a) >= size_of(b) ? a : b;
  const DType with_sign = is_unsigned(a) ? b : a;
  const DType without = is_unsigned(a) ? a : b;
  if (without == DType::UInt64) return DType::Float32;  // no integer type holds both
  const std::size_t needed = size_of(without) * 2;
  return signed_of_bytes(std::max(needed, size_of(with_sign)));
}

DType promote_floats(DType a, DType b) {
  if (is_half(a) && is_half(b)) return DType::Float32;  // float16 with bfloat16
  return std::max(a, b);
}

}  // namespace

std::string_view name_of(DType dtype) { return describe(dtype).name; }
std::string_view python_name(DType dtype) { return describe(dtype).python_name; }
std::size_t size_of(DType dtype) { return describe(dtype).bytes; }

DType real_type_of(DType dtype) {
  if (dtype == DType::Complex64) return DType::Float32;
  if (dtype == DType::Complex128) return DType::Float64;
  return dtype;
}

DType promote(DType a, DType b) {
  if (a == b) return a;
  if (a == DType::Bool) return b;
  if (b == DType::Bool) return a;
  if (is_complex(a) || is_complex(b)) {
    const bool wide = a == DType::Complex128 || b == DType::Complex128 || a == DType::Float64 ||
                      b == DType::Float64;
    return wide ? DType::Complex128 : DType::Complex64;
  }
  if (is_floating(a) && is_floating(b)) return promote_floats(a, b);
  if (is_floating(a)) return a;
  if (is_floating(b)) return b;
  return promote_integers(a, b);
}

DType promote_with_number(DType tensor, DType number) {
  if (number == DType::Bool) return tensor;
  if (is_integral(number)) return tensor == DType::Bool ? DType::Int64 : tensor;
  if (is_floating(number)) {
    return is_floating(tensor) || is_complex(tensor) ? tensor : DType::Float32;
  }
  if (is_complex(tensor)) return tensor;
  return tensor == DType::Float64 ? DType::Complex128 : DType::Complex64;
}

std::string to_string(DTypeSet set) {
  std::string text = "[";
  for (int i = 0; i < kDTypeCount; ++i) {
    if (!set.contains(static_cast<DType>(i))) continue;
    if (text.size() > 1) text += ", ";
    text += kDescriptions[static_cast<std::size_t>(i)].name;
  }
  return text + "]";
}

void fail_for_dtype(DType dtype) {
  platform::fail(ErrorKind::Type, "the data type ", name_of(dtype), " is not supported here");
}

}  // namespace mycel::tensor
