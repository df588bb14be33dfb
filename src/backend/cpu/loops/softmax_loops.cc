// SPDX-License-Identifier: Apache-2.0
#include "backend/cpu/loops/softmax_loops.h"

#include <algorithm>
#include <limits>

#include "backend/cpu/loops/vector_exp.h"
#include "backend/cpu/loops/vector_sums.h"

namespace mycel::backend::MYCEL_ISA {
namespace {

// The largest value, skipping NaN (which the exponentials bring back).
template <class T>
T largest(const T* x, std::int64_t n) {
  constexpr T kLowest = -std::numeric_limits<T>::infinity();
  T t0 = kLowest, t1 = kLowest, t2 = kLowest, t3 = kLowest;
  if (n < kShortLine) {
#pragma omp simd reduction(max : t0)
    for (std::int64_t i = 0; i < n; ++i) t0 = x[i] > t0 ? x[i] : t0;
    return t0;
  }
  const std::int64_t q = part_length(n);
#pragma omp simd reduction(max : t0, t1, t2, t3)
  for (std::int64_t i = 0; i < q; ++i) {
    t0 = x[i] > t0 ? x[i] : t0;
    t1 = x[i + q] > t1 ? x[i + q] : t1;
    t2 = x[i + 2 * q] > t2 ? x[i + 2 * q] : t2;
    t3 = x[i + 3 * q] > t3 ? x[i + 3 * q] : t3;
  }
#pragma omp simd reduction(max : t0)
  for (std::int64_t i = 4 * q; i < n; ++i) t0 = x[i] > t0 ? x[i] : t0;
  return std::max(std::max(t0, t1), std::max(t2, t3));
}

template <class T>
T exponential_sum(const T* x, std::int64_t n, T top) {
  T sum = 0;
#pragma omp simd reduction(+ : sum)
  for (std::int64_t i = 0; i < n; ++i) sum += vector_exp(x[i] - top);
  return sum;
}

template <class T>
void softmax_line(const T* x, T* y, std::int64_t n) {
  const T top = largest(x, n);
  T sum = 0;
#pragma omp simd reduction(+ : sum)
  for (std::int64_t i = 0; i < n; ++i) {
    const T e = vector_exp(x[i] - top);
    y[i] = e;
    sum += e;
  }
  const T scale = T(1) / sum;
  for (std::int64_t i = 0; i < n; ++i) y[i] *= scale;
}

template <class T>
void log_softmax_line(const T* x, T* y, std::int64_t n) {
  const T top = largest(x, n);
  const T shift = std::log(exponential_sum(x, n, top));
  for (std::int64_t i = 0; i < n; ++i) y[i] = (x[i] - top) - shift;
}

template <class T>
void lines(SoftmaxKind kind, const T* x, T* y, std::int64_t count, std::int64_t n) {
  for (std::int64_t line = 0; line < count; ++line, x += n, y += n) {
    if (kind == SoftmaxKind::Plain) {
      softmax_line(x, y, n);
    } else {
      log_softmax_line(x, y, n);
    }
  }
}

constexpr std::int64_t kColumns = 128;

template <class T>
void column_block(SoftmaxKind kind, const T* x, T* y, std::int64_t n, std::int64_t inner,
                  std::int64_t width) {
  T top[kColumns], sum[kColumns];
  std::fill_n(top, width, -std::numeric_limits<T>::infinity());
  std::fill_n(sum, width, T(0));
  for (std::int64_t i = 0; i < n; ++i) {
    const T* row = x + i * inner;
    for (std::int64_t c = 0; c < width; ++c) top[c] = row[c] > top[c] ? row[c] : top[c];
  }
  for (std::int64_t i = 0; i < n; ++i) {
    const T* row = x + i * inner;
    T* out = y + i * inner;
#pragma omp simd
    for (std::int64_t c = 0; c < width; ++c) {
      const T e = vector_exp(row[c] - top[c]);
      out[c] = e;
      sum[c] += e;
    }
  }
  if (kind == SoftmaxKind::Plain) {
    for (std::int64_t c = 0; c < width; ++c) sum[c] = T(1) / sum[c];
    for (std::int64_t i = 0; i < n; ++i) {
      T* out = y + i * inner;
      for (std::int64_t c = 0; c < width; ++c) out[c] *= sum[c];
    }
    return;
  }
  for (std::int64_t c = 0; c < width; ++c) sum[c] = std::log(sum[c]);
  for (std::int64_t i = 0; i < n; ++i) {
    const T* row = x + i * inner;
    T* out = y + i * inner;
    for (std::int64_t c = 0; c < width; ++c) out[c] = (row[c] - top[c]) - sum[c];
  }
}

template <class T>
void columns(SoftmaxKind kind, const T* x, T* y, std::int64_t n, std::int64_t inner,
             std::int64_t begin, std::int64_t end) {
  for (std::int64_t c = begin; c < end; c += kColumns) {
    column_block(kind, x + c, y + c, n, inner, std::min(kColumns, end - c));
  }
}

template <class T>
void gradient_lines(SoftmaxKind kind, const T* dy, const T* y, T* dx, std::int64_t count,
                    std::int64_t n) {
  for (std::int64_t line = 0; line < count; ++line, dy += n, y += n, dx += n) {
    T sum = 0;
    if (kind == SoftmaxKind::Plain) {
      sum = product_sum(dy, y, n);
      for (std::int64_t i = 0; i < n; ++i) dx[i] = y[i] * (dy[i] - sum);
    } else {
      sum = sum_of(dy, n);
#pragma omp simd
      for (std::int64_t i = 0; i < n; ++i) dx[i] = dy[i] - vector_exp(y[i]) * sum;
    }
  }
}

template <class T>
void gradient_columns(SoftmaxKind kind, const T* dy, const T* y, T* dx, std::int64_t n,
                      std::int64_t inner, std::int64_t begin, std::int64_t end) {
  const bool plain = kind == SoftmaxKind::Plain;
  for (std::int64_t first = begin; first < end; first += kColumns) {
    const std::int64_t width = std::min(kColumns, end - first);
    T sum[kColumns];
    std::fill_n(sum, width, T(0));
    for (std::int64_t i = 0; i < n; ++i) {
      const T* g = dy + i * inner + first;
      const T* v = y + i * inner + first;
      for (std::int64_t c = 0; c < width; ++c) sum[c] += plain ? g[c] * v[c] : g[c];
    }
    for (std::int64_t i = 0; i < n; ++i) {
      const T* g = dy + i * inner + first;
      const T* v = y + i * inner + first;
      T* out = dx + i * inner + first;
      if (plain) {
        for (std::int64_t c = 0; c < width; ++c) out[c] = v[c] * (g[c] - sum[c]);
      } else {
#pragma omp simd
        for (std::int64_t c = 0; c < width; ++c) out[c] = g[c] - vector_exp(v[c]) * sum[c];
      }
    }
  }
}

template <class T>
void log_sums(const T* x, T* sums, std::int64_t count, std::int64_t n) {
  for (std::int64_t line = 0; line < count; ++line, x += n) {
    const T top = largest(x, n);
    sums[line] = top + std::log(exponential_sum(x, n, top));
  }
}

template <class T>
void scaled_softmax(const T* x, const T* sums, const T* factors, T* dx, std::int64_t count,
                    std::int64_t n) {
  for (std::int64_t line = 0; line < count; ++line, x += n, dx += n) {
    const T sum = sums[line], factor = factors[line];
#pragma omp simd
    for (std::int64_t i = 0; i < n; ++i) dx[i] = vector_exp(x[i] - sum) * factor;
  }
}

}  // namespace

const SoftmaxLoops<float> softmax_loops_float = {lines<float>,          columns<float>,
                                                 gradient_lines<float>, gradient_columns<float>,
                                                 log_sums<float>,       scaled_softmax<float>};
const SoftmaxLoops<double> softmax_loops_double = {lines<double>,          columns<double>,
                                                   gradient_lines<double>, gradient_columns<double>,
                                                   log_sums<double>,       scaled_softmax<double>};

}  // namespace mycel::backend::MYCEL_ISA
