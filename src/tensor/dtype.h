// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <complex>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string_view>

#include "platform/error/error.h"
#include "tensor/half.h"

namespace mycel::tensor {

enum class DType : std::uint8_t {
  Bool,
  Int8,
  Int16,
  Int32,
  Int64,
  UInt8,
  UInt16,
  UInt32,
  UInt64,
  Float16,
  BFloat16,
  Float32,
  Float64,
  Complex64,
  Complex128,
};

constexpr int kDTypeCount = 15;

std::string_view name_of(DType dtype);      // "Float32", as str(dtype) shows it
std::string_view python_name(DType dtype);  // "float32", "bool_"
std::size_t size_of(DType dtype);
inline std::string_view to_string(DType dtype) { return name_of(dtype); }

constexpr bool is_floating(DType d) { return d >= DType::Float16 && d <= DType::Float64; }
constexpr bool is_complex(DType d) { return d >= DType::Complex64; }
constexpr bool is_integral(DType d) { return d >= DType::Int8 && d <= DType::UInt64; }
constexpr bool is_unsigned(DType d) { return d >= DType::UInt8 && d <= DType::UInt64; }
constexpr bool is_signed_integer(DType d) { return d >= DType::Int8 && d <= DType::Int64; }
constexpr bool is_half(DType d) { return d == DType::Float16 || d == DType::BFloat16; }

// The real type a complex number is made of; any other type itself.
DType real_type_of(DType dtype);

// The dtype both operands of an arithmetic operator are converted to.
DType promote(DType a, DType b);
// The same when `number` stands for a Python number (Bool, Int64, Float64 or Complex128), which
// never widens a tensor within its own kind.
DType promote_with_number(DType tensor, DType number);

// A set of dtypes, for schemas.
class DTypeSet {
 public:
  constexpr DTypeSet() = default;
  constexpr DTypeSet(std::initializer_list<DType> dtypes) {
    for (DType d : dtypes) bits_ |= bit(d);
  }
  constexpr bool contains(DType d) const { return (bits_ & bit(d)) != 0; }
  constexpr DTypeSet operator|(DTypeSet other) const { return DTypeSet(bits_ | other.bits_); }
  constexpr bool operator==(const DTypeSet&) const = default;

 private:
  explicit constexpr DTypeSet(std::uint32_t bits) : bits_(bits) {}
  static constexpr std::uint32_t bit(DType d) { return 1U << static_cast<unsigned>(d); }
  std::uint32_t bits_ = 0;
};

std::string to_string(DTypeSet set);

inline constexpr DTypeSet kBool{DType::Bool};
inline constexpr DTypeSet kIntegral{DType::Int8,  DType::Int16,  DType::Int32,  DType::Int64,
                                    DType::UInt8, DType::UInt16, DType::UInt32, DType::UInt64};
inline constexpr DTypeSet kFloating{DType::Float16, DType::BFloat16, DType::Float32,
                                    DType::Float64};
inline constexpr DTypeSet kComplex{DType::Complex64, DType::Complex128};
inline constexpr DTypeSet kReal = kIntegral | kFloating;
inline constexpr DTypeSet kNumber = kReal | kComplex;
inline constexpr DTypeSet kAny = kNumber | kBool;
inline constexpr DTypeSet kIndex{DType::Int8,  DType::Int16,  DType::Int32,  DType::Int64,
                                 DType::UInt8, DType::UInt16, DType::UInt32, DType::UInt64};

template <class T>
struct DTypeOf;
#define MYCEL_DTYPE_OF(type, name)              \
  template <>                                   \
  struct DTypeOf<type> {                        \
    static constexpr DType value = DType::name; \
  }
MYCEL_DTYPE_OF(bool, Bool);
MYCEL_DTYPE_OF(std::int8_t, Int8);
MYCEL_DTYPE_OF(std::int16_t, Int16);
MYCEL_DTYPE_OF(std::int32_t, Int32);
MYCEL_DTYPE_OF(std::int64_t, Int64);
MYCEL_DTYPE_OF(std::uint8_t, UInt8);
MYCEL_DTYPE_OF(std::uint16_t, UInt16);
MYCEL_DTYPE_OF(std::uint32_t, UInt32);
MYCEL_DTYPE_OF(std::uint64_t, UInt64);
MYCEL_DTYPE_OF(Float16, Float16);
MYCEL_DTYPE_OF(BFloat16, BFloat16);
MYCEL_DTYPE_OF(float, Float32);
MYCEL_DTYPE_OF(double, Float64);
MYCEL_DTYPE_OF(std::complex<float>, Complex64);
MYCEL_DTYPE_OF(std::complex<double>, Complex128);
#undef MYCEL_DTYPE_OF

template <class T>
inline constexpr DType kDTypeOf = DTypeOf<T>::value;

// The type sums of T are kept in: float for the half types, T otherwise.
template <class T>
struct AccumulatorOf {
  using type = T;
};
template <>
struct AccumulatorOf<Float16> {
  using type = float;
};
template <>
struct AccumulatorOf<BFloat16> {
  using type = float;
};
template <class T>
using Accumulator = typename AccumulatorOf<T>::type;

[[noreturn]] void fail_for_dtype(DType dtype);

// One visitor per group: calls `body.template operator()<T>()` with the element type.
template <class Body>
auto with_float_type(DType dtype, Body&& body) {
  switch (dtype) {
    case DType::Float16: return body.template operator()<Float16>();
    case DType::BFloat16: return body.template operator()<BFloat16>();
    case DType::Float32: return body.template operator()<float>();
    case DType::Float64: return body.template operator()<double>();
    default: fail_for_dtype(dtype);
  }
}

template <class Body>
auto with_integer_type(DType dtype, Body&& body) {
  switch (dtype) {
    case DType::Int8: return body.template operator()<std::int8_t>();
    case DType::Int16: return body.template operator()<std::int16_t>();
    case DType::Int32: return body.template operator()<std::int32_t>();
    case DType::Int64: return body.template operator()<std::int64_t>();
    case DType::UInt8: return body.template operator()<std::uint8_t>();
    case DType::UInt16: return body.template operator()<std::uint16_t>();
    case DType::UInt32: return body.template operator()<std::uint32_t>();
    case DType::UInt64: return body.template operator()<std::uint64_t>();
    default: fail_for_dtype(dtype);
  }
}

// Integers, bool and floating point.
template <class Body>
auto with_real_type(DType dtype, Body&& body) {
  if (dtype == DType::Bool) return body.template operator()<bool>();
  if (is_floating(dtype)) return with_float_type(dtype, body);
  return with_integer_type(dtype, body);
}

template <class Body>
auto with_any_type(DType dtype, Body&& body) {
  if (dtype == DType::Complex64) return body.template operator()<std::complex<float>>();
  if (dtype == DType::Complex128) return body.template operator()<std::complex<double>>();
  return with_real_type(dtype, body);
}

// For code that only moves elements: an unsigned integer of the element's size.
template <class Body>
auto with_bits_type(DType dtype, Body&& body) {
  switch (size_of(dtype)) {
    case 1: return body.template operator()<std::uint8_t>();
    case 2: return body.template operator()<std::uint16_t>();
    case 4: return body.template operator()<std::uint32_t>();
    case 8: return body.template operator()<std::uint64_t>();
    default: return body.template operator()<std::complex<double>>();
  }
}

}  // namespace mycel::tensor
