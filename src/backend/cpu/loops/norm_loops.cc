// SPDX-License-Identifier: Apache-2.0
#include "backend/cpu/loops/norm_loops.h"

#include <algorithm>
#include <cmath>

#include "backend/cpu/loops/vector_sums.h"

namespace mycel::backend::MYCEL_ISA {
namespace {

constexpr std::int64_t kPiece = 4096;  // stays in the first-level cache between the two passes

// Piece by piece, joined by the formula for two sets; one walk over memory, no cancellation.
template <class T>
Moments<T> moments(const T* x, std::int64_t n) {
  Moments<T> all;
  for (std::int64_t done = 0; done < n; done += kPiece) {
    const std::int64_t count = std::min(kPiece, n - done);
    const T mean = sum_of(x + done, count) / T(count);
    const T squares = squared_distance(x + done, count, mean);
    const T delta = mean - all.mean;
    const T total = T(done + count);
    all.mean += delta * (T(count) / total);
    all.squares += squares + delta * delta * (T(done) * (T(count) / total));
  }
  return all;
}

template <class T>
void normalize(const T* x, T* y, std::int64_t n, T mean, T scale, T shift) {
  for (std::int64_t i = 0; i < n; ++i) y[i] = (x[i] - mean) * scale + shift;
}

template <class T>
void gradient_sums(const T* dy, const T* x, std::int64_t n, T mean, T* sum, T* product) {
  T first = 0, second = 0;
#pragma omp simd reduction(+ : first, second)
  for (std::int64_t i = 0; i < n; ++i) {
    first += dy[i];
    second += dy[i] * (x[i] - mean);
  }
  *sum += first;
  *product += second;
}

template <class T>
void gradient_apply(const T* dy, const T* x, T* dx, std::int64_t n, T mean, T a, T b, T c) {
  for (std::int64_t i = 0; i < n; ++i) dx[i] = a * dy[i] + (b * (x[i] - mean) + c);
}

template <class T>
void layer_lines(const T* x, const T* gamma, const T* beta, T* y, T* mean, T* variance,
                 std::int64_t lines, std::int64_t n, T epsilon) {
  for (std::int64_t line = 0; line < lines; ++line, x += n, y += n) {
    const Moments<T> found = moments(x, n);
    const T center = found.mean;
    mean[line] = center;
    variance[line] = found.squares / T(n);
    const T scale = T(1) / std::sqrt(variance[line] + epsilon);
    if (gamma != nullptr && beta != nullptr) {
      for (std::int64_t i = 0; i < n; ++i) y[i] = (x[i] - center) * scale * gamma[i] + beta[i];
    } else if (gamma != nullptr) {
      for (std::int64_t i = 0; i < n; ++i) y[i] = (x[i] - center) * scale * gamma[i];
    } else {
      normalize(x, y, n, center, scale, T(0));
      if (beta != nullptr) {
        for (std::int64_t i = 0; i < n; ++i) y[i] += beta[i];
      }
    }
  }
}

// What a line adds to the gradients once its two sums are known.
template <class T>
struct LineFactors {
  T center, scale, offset, slope;
  LineFactors(T mean, T inverse, T sum, T product, std::int64_t n)
      : center(mean),
        scale(inverse),
        offset(-sum / T(n) * inverse),
        slope(-product / T(n) * inverse * inverse) {}
};

template <class T>
void layer_gradient_line(const T* dy, const T* x, const T* gamma, T mean, T inverse, T* dx,
                         T* dgamma, T* dbeta, std::int64_t n) {
  T sum = 0, product = 0;
#pragma omp simd reduction(+ : sum, product)
  for (std::int64_t i = 0; i < n; ++i) {
    const T h = dy[i] * gamma[i];
    sum += h;
    product += h * (x[i] - mean);
  }
  const LineFactors<T> f(mean, inverse, sum, product, n);
#pragma omp simd
  for (std::int64_t i = 0; i < n; ++i) {
    const T g = dy[i], xh = (x[i] - f.center) * f.scale;
    dx[i] = g * gamma[i] * f.scale + (f.slope * xh + f.offset);
    dgamma[i] += g * xh;
    dbeta[i] += g;
  }
}

template <class T>
void plain_gradient_line(const T* dy, const T* x, T mean, T inverse, T* dx, T* dgamma, T* dbeta,
                         std::int64_t n) {
  T sum = 0, product = 0;
#pragma omp simd reduction(+ : sum, product)
  for (std::int64_t i = 0; i < n; ++i) {
    sum += dy[i];
    product += dy[i] * (x[i] - mean);
  }
  const LineFactors<T> f(mean, inverse, sum, product, n);
#pragma omp simd
  for (std::int64_t i = 0; i < n; ++i) {
    const T g = dy[i], xh = (x[i] - f.center) * f.scale;
    dx[i] = g * f.scale + (f.slope * xh + f.offset);
    dgamma[i] += g * xh;
    dbeta[i] += g;
  }
}

template <class T>
void layer_gradient_lines(const T* dy, const T* x, const T* gamma, const T* mean, const T* variance,
                          T* dx, T* dgamma, T* dbeta, std::int64_t lines, std::int64_t n,
                          T epsilon) {
  for (std::int64_t line = 0; line < lines; ++line, dy += n, x += n, dx += n) {
    const T scale = T(1) / std::sqrt(variance[line] + epsilon);
    if (gamma != nullptr) {
      layer_gradient_line(dy, x, gamma, mean[line], scale, dx, dgamma, dbeta, n);
    } else {
      plain_gradient_line(dy, x, mean[line], scale, dx, dgamma, dbeta, n);
    }
  }
}

template <class T>
void column_moments(const T* x, std::int64_t rows, std::int64_t channels, std::int64_t width,
                    T* mean, T* squares) {
  std::fill_n(mean, width, T(0));
  std::fill_n(squares, width, T(0));
  for (std::int64_t r = 0; r < rows; ++r) {
    for (std::int64_t c = 0; c < width; ++c) mean[c] += x[r * channels + c];
  }
  for (std::int64_t c = 0; c < width; ++c) mean[c] /= T(rows);
  for (std::int64_t r = 0; r < rows; ++r) {
    for (std::int64_t c = 0; c < width; ++c) {
      const T distance = x[r * channels + c] - mean[c];
      squares[c] += distance * distance;
    }
  }
}

template <class T>
void column_normalize(const T* x, T* y, std::int64_t rows, std::int64_t channels,
                      std::int64_t width, const T* mean, const T* scale, const T* shift) {
  for (std::int64_t r = 0; r < rows; ++r) {
    for (std::int64_t c = 0; c < width; ++c) {
      y[r * channels + c] = (x[r * channels + c] - mean[c]) * scale[c] + shift[c];
    }
  }
}

template <class T>
void column_gradient_sums(const T* dy, const T* x, std::int64_t rows, std::int64_t channels,
                          std::int64_t width, const T* mean, T* sum, T* product) {
  for (std::int64_t r = 0; r < rows; ++r) {
    for (std::int64_t c = 0; c < width; ++c) {
      const T g = dy[r * channels + c];
      sum[c] += g;
      product[c] += g * (x[r * channels + c] - mean[c]);
    }
  }
}

template <class T>
void column_gradient_apply(const T* dy, const T* x, T* dx, std::int64_t rows, std::int64_t channels,
                           std::int64_t width, const T* mean, const T* a, const T* b, const T* c) {
  for (std::int64_t r = 0; r < rows; ++r) {
    const std::int64_t row = r * channels;
    for (std::int64_t i = 0; i < width; ++i) {
      dx[row + i] = a[i] * dy[row + i] + (b[i] * (x[row + i] - mean[i]) + c[i]);
    }
  }
}

template <class T>
constexpr NormLoops<T> kLoops = {moments<T>,
                                 normalize<T>,
                                 gradient_sums<T>,
                                 gradient_apply<T>,
                                 layer_lines<T>,
                                 layer_gradient_lines<T>,
                                 column_moments<T>,
                                 column_normalize<T>,
                                 column_gradient_sums<T>,
                                 column_gradient_apply<T>};

}  // namespace

const NormLoops<float> norm_loops_float = kLoops<float>;
const NormLoops<double> norm_loops_double = kLoops<double>;

}  // namespace mycel::backend::MYCEL_ISA
