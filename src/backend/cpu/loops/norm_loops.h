// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "backend/cpu/instruction_set.h"

namespace mycel::backend {

// Mean and sum of squared distances from it.
template <class T>
struct Moments {
  T mean = 0, squares = 0;
};

// T is float or double. gamma and beta may be null (ones, zeros).
template <class T>
struct NormLoops {
  Moments<T> (*moments)(const T* x, std::int64_t n);
  // y = (x - mean) * scale + shift
  void (*normalize)(const T* x, T* y, std::int64_t n, T mean, T scale, T shift);
  // sums of dy and of dy * (x - mean)
  void (*gradient_sums)(const T* dy, const T* x, std::int64_t n, T mean, T* sum, T* product);
  // dx = a * dy + b * (x - mean) + c
  void (*gradient_apply)(const T* dy, const T* x, T* dx, std::int64_t n, T mean, T a, T b, T c);

  // Whole lines: layer normalisation. The gradient adds to dgamma and dbeta.
  void (*layer_lines)(const T* x, const T* gamma, const T* beta, T* y, T* mean, T* variance,
                      std::int64_t lines, std::int64_t n, T epsilon);
  void (*layer_gradient_lines)(const T* dy, const T* x, const T* gamma, const T* mean,
                               const T* variance, T* dx, T* dgamma, T* dbeta, std::int64_t lines,
                               std::int64_t n, T epsilon);

  // Rows of `channels` adjacent values, of which `width` are done: batch normalisation of (N, C).
  void (*column_moments)(const T* x, std::int64_t rows, std::int64_t channels, std::int64_t width,
                         T* mean, T* squares);
  void (*column_normalize)(const T* x, T* y, std::int64_t rows, std::int64_t channels,
                           std::int64_t width, const T* mean, const T* scale, const T* shift);
  void (*column_gradient_sums)(const T* dy, const T* x, std::int64_t rows, std::int64_t channels,
                               std::int64_t width, const T* mean, T* sum, T* product);
  void (*column_gradient_apply)(const T* dy, const T* x, T* dx, std::int64_t rows,
                                std::int64_t channels, std::int64_t width, const T* mean,
                                const T* a, const T* b, const T* c);
};

namespace avx2 {
extern const NormLoops<float> norm_loops_float;
extern const NormLoops<double> norm_loops_double;
}  // namespace avx2
namespace avx512 {
extern const NormLoops<float> norm_loops_float;
extern const NormLoops<double> norm_loops_double;
}  // namespace avx512

template <class T>
const NormLoops<T>& norm_loops();
template <>
inline const NormLoops<float>& norm_loops<float>() {
  return has_avx512() ? avx512::norm_loops_float : avx2::norm_loops_float;
}
template <>
inline const NormLoops<double>& norm_loops<double>() {
  return has_avx512() ? avx512::norm_loops_double : avx2::norm_loops_double;
}

}  // namespace mycel::backend
