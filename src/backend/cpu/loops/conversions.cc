// SPDX-License-Identifier: Apache-2.0
#include <complex>
#include <limits>
#include <type_traits>

#include <immintrin.h>

#include "backend/cpu/loops/loop_table.h"
#include "tensor/dtype.h"

namespace mycel::cpu::MYCEL_ISA {
namespace {

using tensor::BFloat16;
using tensor::DType;
using tensor::Float16;

template <class T>
constexpr bool kIsComplex =
    std::is_same_v<T, std::complex<float>> || std::is_same_v<T, std::complex<double>>;
template <class T>
constexpr bool kIsHalf = std::is_same_v<T, Float16> || std::is_same_v<T, BFloat16>;
template <class T>
constexpr bool kIsFloat = kIsHalf<T> || std::is_floating_point_v<T>;

// Out of range saturates, NaN becomes 0.
template <class To, class From>
To saturate(From x) {
  constexpr To lowest = std::numeric_limits<To>::min();
  constexpr To highest = std::numeric_limits<To>::max();
  // One more than the highest value: a power of two, hence exact.
  constexpr From limit = static_cast<From>(highest / 2 + 1) * From(2);
  if (x >= limit) return highest;
  if (x <= static_cast<From>(lowest)) return lowest;
  return x == x ? static_cast<To>(x) : To(0);
}

template <class To, class From>
To convert_one(From x) {
  if constexpr (std::is_same_v<To, From>) {
    return x;
  } else if constexpr (kIsHalf<From>) {
    return convert_one<To>(static_cast<float>(x));
  } else if constexpr (std::is_same_v<To, bool>) {
    return x != From(0);
  } else if constexpr (kIsComplex<From> && kIsComplex<To>) {
    using T = typename To::value_type;
    return To(static_cast<T>(x.real()), static_cast<T>(x.imag()));
  } else if constexpr (kIsComplex<From>) {
    return convert_one<To>(x.real());
  } else if constexpr (kIsComplex<To>) {
    return To(convert_one<typename To::value_type>(x), 0);
  } else if constexpr (kIsHalf<To>) {
    return To(static_cast<float>(x));
  } else if constexpr (kIsFloat<From> && std::is_integral_v<To>) {
    return saturate<To>(x);
  } else {
    return static_cast<To>(x);
  }
}

std::int64_t widen_halves(const Float16* x, float* y, std::int64_t n) {
  std::int64_t i = 0;
  for (; i + 8 <= n; i += 8) {
    _mm256_storeu_ps(y + i,
                     _mm256_cvtph_ps(_mm_loadu_si128(reinterpret_cast<const __m128i*>(x + i))));
  }
  return i;
}

std::int64_t narrow_to_halves(const float* x, Float16* y, std::int64_t n) {
  std::int64_t i = 0;
  for (; i + 8 <= n; i += 8) {
    _mm_storeu_si128(reinterpret_cast<__m128i*>(y + i),
                     _mm256_cvtps_ph(_mm256_loadu_ps(x + i), _MM_FROUND_TO_NEAREST_INT));
  }
  return i;
}

template <class From, class To>
void convert_loop(const void* source, std::int64_t source_stride, void* target,
                  std::int64_t target_stride, std::int64_t n) {
  const From* x = static_cast<const From*>(source);
  To* y = static_cast<To*>(target);
  if (source_stride == 1 && target_stride == 1) {
    std::int64_t i = 0;
    if constexpr (std::is_same_v<From, Float16> && std::is_same_v<To, float>)
      i = widen_halves(x, y, n);
    if constexpr (std::is_same_v<From, float> && std::is_same_v<To, Float16>)
      i = narrow_to_halves(x, y, n);
#pragma GCC ivdep
    for (; i < n; ++i) y[i] = convert_one<To>(x[i]);
    return;
  }
  for (std::int64_t i = 0; i < n; ++i) y[i * target_stride] = convert_one<To>(x[i * source_stride]);
}

template <class From, class... To>
void fill_from(LoopTable& table) {
  ((table.convert[static_cast<int>(tensor::kDTypeOf<From>)]
                 [static_cast<int>(tensor::kDTypeOf<To>)] = convert_loop<From, To>),
   ...);
}

template <class... T>
void fill_all(LoopTable& table) {
  (fill_from<T, T...>(table), ...);
}

}  // namespace

void fill_conversions(LoopTable& table) {
  fill_all<bool, std::int8_t, std::int16_t, std::int32_t, std::int64_t, std::uint8_t, std::uint16_t,
           std::uint32_t, std::uint64_t, Float16, BFloat16, float, double, std::complex<float>,
           std::complex<double>>(table);
}

}  // namespace mycel::cpu::MYCEL_ISA
