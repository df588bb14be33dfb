// SPDX-License-Identifier: Apache-2.0
#include "backend/cpu/half_tensor.h"

#include <immintrin.h>

#include "platform/thread/parallel_for.h"

namespace mycel::backend {

using tensor::DType;
using tensor::Tensor;

namespace {

template <class From, class To>
void convert(const From* from, To* to, std::int64_t count) {
  std::int64_t i = 0;
  if constexpr (std::is_same_v<From, tensor::Float16> && std::is_same_v<To, float>) {
    for (; i + 8 <= count; i += 8) {
      _mm256_storeu_ps(
          to + i, _mm256_cvtph_ps(_mm_loadu_si128(reinterpret_cast<const __m128i*>(from + i))));
    }
  } else if constexpr (std::is_same_v<From, float> && std::is_same_v<To, tensor::Float16>) {
    for (; i + 8 <= count; i += 8) {
      _mm_storeu_si128(reinterpret_cast<__m128i*>(to + i),
                       _mm256_cvtps_ph(_mm256_loadu_ps(from + i), _MM_FROUND_TO_NEAREST_INT));
    }
  } else if constexpr (std::is_same_v<From, tensor::BFloat16> && std::is_same_v<To, float>) {
    for (; i + 8 <= count; i += 8) {
      const __m128i bits = _mm_loadu_si128(reinterpret_cast<const __m128i*>(from + i));
      _mm256_storeu_si256(reinterpret_cast<__m256i*>(to + i),
                          _mm256_slli_epi32(_mm256_cvtepu16_epi32(bits), 16));
    }
  }
  for (; i < count; ++i) to[i] = To(static_cast<tensor::Accumulator<From>>(from[i]));
}

}  // namespace

void convert_floating(const Tensor& source, const Tensor& target) {
  tensor::with_float_type(source.dtype(), [&]<class From>() {
    tensor::with_float_type(target.dtype(), [&]<class To>() {
      platform::parallel_for(source.size(), 1, [&](std::int64_t begin, std::int64_t end) {
        convert(source.data<From>() + begin, target.data<To>() + begin, end - begin);
      });
    });
  });
}

Tensor as_floating(const Tensor& tensor, DType dtype) {
  Tensor dense = contiguous(tensor);
  if (dense.dtype() == dtype) return dense;
  Tensor result = Tensor::empty(dense.shape(), dtype);
  convert_floating(dense, result);
  return result;
}

Tensor widened(const Tensor& tensor) {
  return tensor::is_half(tensor.dtype()) ? as_floating(tensor, DType::Float32) : contiguous(tensor);
}

Tensor wide_like(const Tensor& target) {
  if (!tensor::is_half(target.dtype())) return target;
  return Tensor::empty(target.shape(), DType::Float32);
}

void narrow_into(const Tensor& wide, const Tensor& target) {
  if (!(wide == target)) convert_floating(wide, target);
}

}  // namespace mycel::backend
