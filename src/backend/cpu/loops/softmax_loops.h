// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "backend/cpu/instruction_set.h"

namespace mycel::backend {

enum class SoftmaxKind : std::uint8_t { Plain, Logarithm };

// T is float or double. "Lines" are n adjacent values each; "columns" are n values `inner` apart,
// of which [begin, end) are done.
template <class T>
struct SoftmaxLoops {
  void (*lines)(SoftmaxKind kind, const T* x, T* y, std::int64_t lines, std::int64_t n);
  void (*columns)(SoftmaxKind kind, const T* x, T* y, std::int64_t n, std::int64_t inner,
                  std::int64_t begin, std::int64_t end);
  void (*gradient_lines)(SoftmaxKind kind, const T* dy, const T* y, T* dx, std::int64_t lines,
                         std::int64_t n);
  void (*gradient_columns)(SoftmaxKind kind, const T* dy, const T* y, T* dx, std::int64_t n,
                           std::int64_t inner, std::int64_t begin, std::int64_t end);
  // logarithm of the sum of exponentials of each line
  void (*log_sums)(const T* x, T* sums, std::int64_t lines, std::int64_t n);
  // dx = exp(x - sum) * factor; the caller subtracts the target
  void (*scaled_softmax)(const T* x, const T* sums, const T* factors, T* dx, std::int64_t lines,
                         std::int64_t n);
};

namespace avx2 {
extern const SoftmaxLoops<float> softmax_loops_float;
extern const SoftmaxLoops<double> softmax_loops_double;
}  // namespace avx2
namespace avx512 {
extern const SoftmaxLoops<float> softmax_loops_float;
extern const SoftmaxLoops<double> softmax_loops_double;
}  // namespace avx512

template <class T>
const SoftmaxLoops<T>& softmax_loops();
template <>
inline const SoftmaxLoops<float>& softmax_loops<float>() {
  return has_avx512() ? avx512::softmax_loops_float : avx2::softmax_loops_float;
}
template <>
inline const SoftmaxLoops<double>& softmax_loops<double>() {
  return has_avx512() ? avx512::softmax_loops_double : avx2::softmax_loops_double;
}

}  // namespace mycel::backend
