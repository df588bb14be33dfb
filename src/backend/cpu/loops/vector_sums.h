// SPDX-License-Identifier: Apache-2.0
// Sums over a line with four running totals each, because a single one would wait for itself. Only
// for files of this folder: it is compiled once per instruction set.
#pragma once

#include <cstdint>

namespace mycel::backend::MYCEL_ISA {

// Shorter lines are over before it matters.
constexpr std::int64_t kShortLine = 256;

// Length of each of four parts that are summed side by side; the rest follows alone.
inline std::int64_t part_length(std::int64_t n) { return n / 64 * 16; }

template <class T>
T sum_of(const T* x, std::int64_t n) {
  T s0 = 0, s1 = 0, s2 = 0, s3 = 0;
  if (n < kShortLine) {
#pragma omp simd reduction(+ : s0)
    for (std::int64_t i = 0; i < n; ++i) s0 += x[i];
    return s0;
  }
  const std::int64_t q = part_length(n);
  const T *x1 = x + q, *x2 = x + 2 * q, *x3 = x + 3 * q;
#pragma omp simd reduction(+ : s0, s1, s2, s3)
  for (std::int64_t i = 0; i < q; ++i) {
    s0 += x[i];
    s1 += x1[i];
    s2 += x2[i];
    s3 += x3[i];
  }
#pragma omp simd reduction(+ : s0)
  for (std::int64_t i = 4 * q; i < n; ++i) s0 += x[i];
  return (s0 + s1) + (s2 + s3);
}

template <class T>
T squared_distance(const T* x, std::int64_t n, T mean) {
  T s0 = 0, s1 = 0, s2 = 0, s3 = 0;
  if (n < kShortLine) {
#pragma omp simd reduction(+ : s0)
    for (std::int64_t i = 0; i < n; ++i) s0 += (x[i] - mean) * (x[i] - mean);
    return s0;
  }
  const std::int64_t q = part_length(n);
  const T *x1 = x + q, *x2 = x + 2 * q, *x3 = x + 3 * q;
#pragma omp simd reduction(+ : s0, s1, s2, s3)
  for (std::int64_t i = 0; i < q; ++i) {
    s0 += (x[i] - mean) * (x[i] - mean);
    s1 += (x1[i] - mean) * (x1[i] - mean);
    s2 += (x2[i] - mean) * (x2[i] - mean);
    s3 += (x3[i] - mean) * (x3[i] - mean);
  }
#pragma omp simd reduction(+ : s0)
  for (std::int64_t i = 4 * q; i < n; ++i) s0 += (x[i] - mean) * (x[i] - mean);
  return (s0 + s1) + (s2 + s3);
}

template <class T>
T product_sum(const T* x, const T* y, std::int64_t n) {
  T s0 = 0, s1 = 0, s2 = 0, s3 = 0;
  if (n < kShortLine) {
#pragma omp simd reduction(+ : s0)
    for (std::int64_t i = 0; i < n; ++i) s0 += x[i] * y[i];
    return s0;
  }
  const std::int64_t q = part_length(n);
  const T *x1 = x + q, *x2 = x + 2 * q, *x3 = x + 3 * q;
  const T *y1 = y + q, *y2 = y + 2 * q, *y3 = y + 3 * q;
#pragma omp simd reduction(+ : s0, s1, s2, s3)
  for (std::int64_t i = 0; i < q; ++i) {
    s0 += x[i] * y[i];
    s1 += x1[i] * y1[i];
    s2 += x2[i] * y2[i];
    s3 += x3[i] * y3[i];
  }
#pragma omp simd reduction(+ : s0)
  for (std::int64_t i = 4 * q; i < n; ++i) s0 += x[i] * y[i];
  return (s0 + s1) + (s2 + s3);
}

}  // namespace mycel::backend::MYCEL_ISA
