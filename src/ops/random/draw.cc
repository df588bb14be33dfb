// SPDX-License-Identifier: Apache-2.0
#include "ops/random/draw.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include <immintrin.h>

#include "platform/thread/parallel_for.h"

namespace mycel::ops {
namespace {

constexpr std::int64_t kLanes = 8;     // blocks computed side by side
constexpr std::int64_t kChunk = 1024;  // words at a time, on the stack

struct Product {
  __m256i high, low;
};

// High and low halves of eight 32-bit products.
Product multiply(__m256i a, __m256i factor) {
  const __m256i even = _mm256_mul_epu32(a, factor);
  const __m256i odd = _mm256_mul_epu32(_mm256_srli_epi64(a, 32), factor);
  return {_mm256_blend_epi32(_mm256_srli_epi64(even, 32), odd, 0b10101010),
          _mm256_blend_epi32(even, _mm256_slli_epi64(odd, 32), 0b10101010)};
}

// c[k] holds word k of eight blocks; written block by block.
void store_blocks(const __m256i (&c)[4], std::uint32_t* words) {
  const __m256i ab_low = _mm256_unpacklo_epi32(c[0], c[1]);
  const __m256i ab_high = _mm256_unpackhi_epi32(c[0], c[1]);
  const __m256i cd_low = _mm256_unpacklo_epi32(c[2], c[3]);
  const __m256i cd_high = _mm256_unpackhi_epi32(c[2], c[3]);
  const __m256i rows[4] = {
      _mm256_unpacklo_epi64(ab_low, cd_low), _mm256_unpackhi_epi64(ab_low, cd_low),
      _mm256_unpacklo_epi64(ab_high, cd_high), _mm256_unpackhi_epi64(ab_high, cd_high)};
  auto* const target = reinterpret_cast<__m128i*>(words);  // rows[k]: blocks k and k + 4
  for (int k = 0; k < 4; ++k) {
    _mm_storeu_si128(target + k, _mm256_castsi256_si128(rows[k]));
    _mm_storeu_si128(target + k + 4, _mm256_extracti128_si256(rows[k], 1));
  }
}

// Eight blocks at once; the same bits as random_block.
void draw_lanes(std::uint64_t seed, std::uint64_t first_block, std::uint32_t* words) {
  alignas(32) std::uint32_t low[kLanes];
  alignas(32) std::uint32_t high[kLanes];
  for (std::int64_t i = 0; i < kLanes; ++i) {
    const std::uint64_t block = first_block + static_cast<std::uint64_t>(i);
    low[i] = static_cast<std::uint32_t>(block);
    high[i] = static_cast<std::uint32_t>(block >> 32);
  }
  __m256i c[4] = {_mm256_load_si256(reinterpret_cast<const __m256i*>(low)),
                  _mm256_load_si256(reinterpret_cast<const __m256i*>(high)), _mm256_setzero_si256(),
                  _mm256_setzero_si256()};
  auto key0 = static_cast<std::uint32_t>(seed);
  auto key1 = static_cast<std::uint32_t>(seed >> 32);
  const __m256i factor0 = _mm256_set1_epi32(static_cast<int>(0xD2511F53U));
  const __m256i factor1 = _mm256_set1_epi32(static_cast<int>(0xCD9E8D57U));
  for (int round = 0; round < 10; ++round) {
    const Product a = multiply(c[0], factor0);
    const Product b = multiply(c[2], factor1);
    c[0] =
        _mm256_xor_si256(_mm256_xor_si256(b.high, c[1]), _mm256_set1_epi32(static_cast<int>(key0)));
    c[1] = b.low;
    c[2] =
        _mm256_xor_si256(_mm256_xor_si256(a.high, c[3]), _mm256_set1_epi32(static_cast<int>(key1)));
    c[3] = a.low;
    key0 += 0x9E3779B9U;
    key1 += 0xBB67AE85U;
  }
  store_blocks(c, words);
}

// Calls use(words, first element, count) for chunks of the target; `words_per_element` words each.
template <class Use>
void for_chunks(const KernelContext& kernel, std::int64_t count, std::int64_t words_per_element,
                const Use& use) {
  const std::int64_t per_chunk = kChunk / words_per_element;
  const std::int64_t chunks = (count + per_chunk - 1) / per_chunk;
  platform::parallel_for(chunks, kChunk * 4, [&](std::int64_t begin, std::int64_t end) {
    alignas(64) std::uint32_t words[kChunk];
    for (std::int64_t chunk = begin; chunk < end; ++chunk) {
      draw_words(kernel.random_seed, kernel.random_offset, chunk * kChunk, kChunk, words);
      use(words, chunk * per_chunk, std::min(per_chunk, count - chunk * per_chunk));
    }
  });
}

std::uint64_t word_pair(const std::uint32_t* words, std::int64_t i) {
  return (static_cast<std::uint64_t>(words[2 * i + 1]) << 32) | words[2 * i];
}

// x in (0, 1]: logarithm by the exponent and a polynomial of the mantissa, in vector form. Error
// below 2e-7 absolute, which leaves the shape of the tails alone.
inline float fast_log(float x) {
  const std::uint32_t bits = std::bit_cast<std::uint32_t>(x);
  const std::uint32_t shifted = bits - 0x3f3504f3U;  // mantissa in [sqrt(1/2), sqrt(2))
  const auto exponent = static_cast<float>(static_cast<std::int32_t>(shifted) >> 23);
  const float m = std::bit_cast<float>((shifted & 0x007fffffU) + 0x3f3504f3U) - 1.0F;
  const float s = m / (2.0F + m);  // log(1 + m) = 2 atanh(s)
  const float z = s * s;
  const float series =
      2.0F * s * (1.0F + z * (0.33333334F + z * (0.2F + z * (0.14285715F + z * 0.11111111F))));
  return series + exponent * 0.69314718F;
}

// sin and cos of 2 pi v for v in [0, 1), by quarter turns.
inline void fast_turn(float v, float& sine, float& cosine) {
  const float quarters = v * 4.0F;
  const auto quadrant = static_cast<std::int32_t>(quarters + 0.5F);
  const float r = (quarters - static_cast<float>(quadrant)) * 1.57079633F;  // in [-pi/4, pi/4]
  const float z = r * r;
  const float s =
      r *
      (1.0F + z * (-0.16666667F + z * (8.3333333e-3F + z * (-1.9841270e-4F + z * 2.7557319e-6F))));
  const float c =
      1.0F + z * (-0.5F + z * (4.1666667e-2F + z * (-1.3888889e-3F + z * 2.4801587e-5F)));
  const bool swap = (quadrant & 1) != 0;
  const float sine_part = swap ? c : s;
  const float cosine_part = swap ? s : c;
  sine = (quadrant & 2) != 0 ? -sine_part : sine_part;
  cosine = ((quadrant + 1) & 2) != 0 ? -cosine_part : cosine_part;
}

// words[2i], words[2i + 1] give normals[2i], normals[2i + 1].
void normals_of(const std::uint32_t* words, float* normals) {
  for (std::int64_t i = 0; i < kChunk / 2; ++i) {
    const float u =
        1.0F - static_cast<float>(static_cast<std::int32_t>(words[2 * i] >> 8)) * 0x1p-24F;
    const float v = static_cast<float>(static_cast<std::int32_t>(words[2 * i + 1] >> 8)) * 0x1p-24F;
    const float radius = std::sqrt(-2.0F * fast_log(u));
    float sine = 0;
    float cosine = 0;
    fast_turn(v, sine, cosine);
    normals[2 * i] = radius * cosine;
    normals[2 * i + 1] = radius * sine;
  }
}

void draw_normal_doubles(const KernelContext& kernel, const Tensor& target, double mean,
                         double deviation) {
  auto* const data = target.data<double>();
  for_chunks(kernel, target.size(), 2,
             [&](const std::uint32_t* words, std::int64_t first, std::int64_t count) {
               for (std::int64_t i = 0; i < count; i += 2) {
                 const platform::RandomPair pair =
                     platform::normal_pair(platform::uniform_double(word_pair(words, i)),
                                           platform::uniform_double(word_pair(words, i + 1)));
                 data[first + i] = mean + deviation * pair.first;
                 if (i + 1 < count) data[first + i + 1] = mean + deviation * pair.second;
               }
             });
}

}  // namespace

void draw_words(std::uint64_t seed, std::uint64_t offset, std::int64_t first, std::int64_t count,
                std::uint32_t* words) {
  std::uint64_t block = offset + static_cast<std::uint64_t>(first / 4);
  std::int64_t i = 0;
  for (; i + 4 * kLanes <= count; i += 4 * kLanes, block += kLanes)
    draw_lanes(seed, block, words + i);
  for (; i < count; i += 4, ++block) {
    const platform::RandomBlock rest = platform::random_block(seed, block);
    std::copy_n(rest.word, 4, words + i);
  }
}

void draw_uniform(const KernelContext& kernel, const Tensor& target, double low, double high) {
  const std::int64_t total = target.size();
  if (target.dtype() == DType::Float64) {
    auto* const data = target.data<double>();
    for_chunks(
        kernel, total, 2, [&](const std::uint32_t* words, std::int64_t first, std::int64_t count) {
          for (std::int64_t i = 0; i < count; ++i) {
            data[first + i] = low + (high - low) * platform::uniform_double(word_pair(words, i));
          }
        });
    return;
  }
  const auto base = static_cast<float>(low);
  const auto width = static_cast<float>(high - low);
  with_float_type(target.dtype(), [&]<class T>() {
    T* const data = target.data<T>();
    for_chunks(
        kernel, total, 1, [&](const std::uint32_t* words, std::int64_t first, std::int64_t count) {
          for (std::int64_t i = 0; i < count; ++i) {
            const float u = static_cast<float>(static_cast<std::int32_t>(words[i] >> 8)) * 0x1p-24F;
            data[first + i] = static_cast<T>(base + width * u);
          }
        });
  });
}

void draw_normal(const KernelContext& kernel, const Tensor& target, double mean, double deviation) {
  if (target.dtype() == DType::Float64) return draw_normal_doubles(kernel, target, mean, deviation);
  const auto center = static_cast<float>(mean);
  const auto scale = static_cast<float>(deviation);
  with_float_type(target.dtype(), [&]<class T>() {
    T* const data = target.data<T>();
    for_chunks(kernel, target.size(), 1,
               [&](const std::uint32_t* words, std::int64_t first, std::int64_t count) {
                 alignas(64) float normals[kChunk];
                 normals_of(words, normals);
                 for (std::int64_t i = 0; i < count; ++i)
                   data[first + i] = static_cast<T>(center + scale * normals[i]);
               });
  });
}

void draw_integers(const KernelContext& kernel, const Tensor& target, std::int64_t low,
                   std::int64_t high) {
  const std::uint64_t bound = static_cast<std::uint64_t>(high) - static_cast<std::uint64_t>(low);
  with_integer_type(target.dtype(), [&]<class T>() {
    T* const data = target.data<T>();
    for_chunks(kernel, target.size(), 2,
               [&](const std::uint32_t* words, std::int64_t first, std::int64_t count) {
                 for (std::int64_t i = 0; i < count; ++i) {
                   const std::uint64_t drawn = platform::uniform_below(word_pair(words, i), bound);
                   data[first + i] = static_cast<T>(static_cast<std::uint64_t>(low) + drawn);
                 }
               });
  });
}

}  // namespace mycel::ops
