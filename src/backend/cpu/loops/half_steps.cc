// SPDX-License-Identifier: Apache-2.0
// Arithmetic on 16-bit floats straight from memory: widened, computed and rounded in registers.
#include <immintrin.h>

#include "backend/cpu/loops/loop_table.h"
#include "tensor/half.h"

namespace mycel::cpu::MYCEL_ISA {
namespace {

using op::ScalarOp;
using tensor::BFloat16;
using tensor::Float16;

constexpr std::int64_t kLanes = 8;
typedef float Floats __attribute__((vector_size(32)));
typedef std::uint32_t Words __attribute__((vector_size(32)));
typedef std::uint16_t Halves __attribute__((vector_size(16)));

[[gnu::always_inline]] inline Floats widen(const Float16* x) {
  return _mm256_cvtph_ps(_mm_loadu_si128(reinterpret_cast<const __m128i*>(x)));
}
[[gnu::always_inline]] inline Floats widen(const BFloat16* x) {
  const __m128i bits = _mm_loadu_si128(reinterpret_cast<const __m128i*>(x));
  return _mm256_castsi256_ps(_mm256_slli_epi32(_mm256_cvtepu16_epi32(bits), 16));
}
[[gnu::always_inline]] inline void narrow(Floats x, Float16* y) {
  _mm_storeu_si128(reinterpret_cast<__m128i*>(y), _mm256_cvtps_ph(x, _MM_FROUND_TO_NEAREST_INT));
}
[[gnu::always_inline]] inline void narrow(Floats x, BFloat16* y) {
  const auto word = reinterpret_cast<Words>(x);
  const Words nearest = (word + 0x7fffU + ((word >> 16) & 1U)) >> 16;
  const Words nan = (word >> 16) | 0x40U;
  const Words bits = (word & 0x7fffffffU) > 0x7f800000U ? nan : nearest;
  const Halves packed = __builtin_convertvector(bits, Halves);
  _mm_storeu_si128(reinterpret_cast<__m128i*>(y), reinterpret_cast<__m128i>(packed));
}

// Not by adding it to zeros: -0 would become 0.
template <class H>
[[gnu::always_inline]] inline Floats everywhere(H x) {
  return _mm256_set1_ps(static_cast<float>(x));
}

template <ScalarOp kOp>
[[gnu::always_inline]] inline Floats combine(Floats a, Floats b) {
  if constexpr (kOp == ScalarOp::Add) return a + b;
  if constexpr (kOp == ScalarOp::Sub) return a - b;
  if constexpr (kOp == ScalarOp::Mul) return a * b;
  if constexpr (kOp == ScalarOp::Div) return a / b;
}

template <class H, ScalarOp kOp, Variant kVariant>
void half_loop(const void* a, const void* b, const void*, const void*, void* out, std::int64_t n) {
  const H* x = static_cast<const H*>(a);
  const H* z = static_cast<const H*>(b);
  H* y = static_cast<H*>(out);
  const Floats one_x = everywhere(*x);
  const Floats one_z = everywhere(*z);
  std::int64_t i = 0;
  for (; i + kLanes <= n; i += kLanes) {
    const Floats left = kVariant == kFirstSingle ? one_x : widen(x + i);
    const Floats right = kVariant == kSecondSingle ? one_z : widen(z + i);
    narrow(combine<kOp>(left, right), y + i);
  }
  for (; i < n; ++i) {
    const Floats left = everywhere(kVariant == kFirstSingle ? *x : x[i]);
    const Floats right = everywhere(kVariant == kSecondSingle ? *z : z[i]);
    y[i] = H(combine<kOp>(left, right)[0]);
  }
}

template <class H, ScalarOp kOp>
void fill_one(StepVariants& entry) {
  entry[kVectors] = half_loop<H, kOp, kVectors>;
  entry[kSecondSingle] = half_loop<H, kOp, kSecondSingle>;
  entry[kFirstSingle] = half_loop<H, kOp, kFirstSingle>;
}

template <class H>
void fill_all(StepVariants* entries) {
  fill_one<H, ScalarOp::Add>(entries[0]);
  fill_one<H, ScalarOp::Sub>(entries[1]);
  fill_one<H, ScalarOp::Mul>(entries[2]);
  fill_one<H, ScalarOp::Div>(entries[3]);
}

}  // namespace

void fill_half_steps(LoopTable& table) {
  fill_all<Float16>(table.half_steps[0]);
  fill_all<BFloat16>(table.half_steps[1]);
}

}  // namespace mycel::cpu::MYCEL_ISA
