// SPDX-License-Identifier: Apache-2.0
// Factorisations of one matrix. Everything is computed in double precision, in row-major order, and
// converted when a matrix is read from or written to a tensor.
#pragma once

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdint>
#include <type_traits>
#include <utility>
#include <vector>

#include "tensor/dtype.h"
#include "tensor/tensor.h"

namespace mycel::ops::linalg {

inline constexpr tensor::DTypeSet kMatrixTypes{tensor::DType::Float32, tensor::DType::Float64,
                                               tensor::DType::Complex64, tensor::DType::Complex128};

template <class T>
inline constexpr bool kIsComplex = false;
template <class T>
inline constexpr bool kIsComplex<std::complex<T>> = true;

// Calls `body.template operator()<W>()` with the type a tensor's matrices are computed in.
template <class Body>
void with_working_type(tensor::DType dtype, Body&& body) {
  if (tensor::is_complex(dtype)) return body.template operator()<std::complex<double>>();
  body.template operator()<double>();
}

template <class W>
W conjugate(W value) {
  if constexpr (kIsComplex<W>) return std::conj(value);
  return value;
}

template <class W>
struct Matrix {
  std::int64_t rows = 0, columns = 0;
  std::vector<W> values;

  Matrix(std::int64_t r, std::int64_t c)
      : rows(r), columns(c), values(static_cast<std::size_t>(r * c)) {}
  W& operator()(std::int64_t i, std::int64_t j) {
    return values[static_cast<std::size_t>(i * columns + j)];
  }
  const W& operator()(std::int64_t i, std::int64_t j) const {
    return values[static_cast<std::size_t>(i * columns + j)];
  }
};

template <class W>
Matrix<W> identity(std::int64_t rows, std::int64_t columns) {
  Matrix<W> result(rows, columns);
  for (std::int64_t i = 0; i < std::min(rows, columns); ++i) result(i, i) = W(1);
  return result;
}

template <class W>
Matrix<W> adjoint(const Matrix<W>& a) {
  Matrix<W> result(a.columns, a.rows);
  for (std::int64_t i = 0; i < a.rows; ++i)
    for (std::int64_t j = 0; j < a.columns; ++j) result(j, i) = conjugate(a(i, j));
  return result;
}

// Elements [first, first + count) of a dense tensor.
template <class W>
void read(const tensor::Tensor& from, std::int64_t first, W* to, std::int64_t count) {
  tensor::with_any_type(from.dtype(), [&]<class T>() {
    const T* source = from.data<T>() + first;
    for (std::int64_t i = 0; i < count; ++i) {
      if constexpr (kIsComplex<W>) {
        if constexpr (kIsComplex<T>)
          to[i] = W(source[i].real(), source[i].imag());
        else
          to[i] = W(static_cast<double>(source[i]));
      } else if constexpr (!kIsComplex<T>) {
        to[i] = static_cast<double>(source[i]);
      }
    }
  });
}

// Of a complex number that becomes a real one, the real part.
template <class T, class W>
T converted(const W& value) {
  if constexpr (kIsComplex<T> && kIsComplex<W>)
    return T(static_cast<typename T::value_type>(value.real()),
             static_cast<typename T::value_type>(value.imag()));
  else if constexpr (kIsComplex<W>)
    return static_cast<T>(value.real());
  else if constexpr (kIsComplex<T>)
    return T(static_cast<typename T::value_type>(value));
  else
    return static_cast<T>(value);
}

template <class W>
void write(const W* from, std::int64_t count, const tensor::Tensor& to, std::int64_t first) {
  tensor::with_any_type(to.dtype(), [&]<class T>() {
    T* target = to.data<T>() + first;
    for (std::int64_t i = 0; i < count; ++i) target[i] = converted<T>(from[i]);
  });
}

// Matrix `item` of a stack: the last two axes of a dense tensor.
template <class W>
Matrix<W> read_matrix(const tensor::Tensor& stack, std::int64_t item) {
  const auto& shape = stack.shape();
  Matrix<W> result(shape[shape.size() - 2], shape.back());
  read(stack, item * result.rows * result.columns, result.values.data(),
       result.rows * result.columns);
  return result;
}

template <class W>
void write_matrix(const Matrix<W>& matrix, const tensor::Tensor& stack, std::int64_t item) {
  const std::int64_t count = matrix.rows * matrix.columns;
  write(matrix.values.data(), count, stack, item * count);
}

struct Pivots {
  std::vector<std::int64_t> rows;  // row i was exchanged with rows[i]
  bool odd = false;                // number of exchanges
  bool singular = false;           // a zero on the diagonal of U
};

// Replaces `a` by its factors L (unit diagonal) and U, with partial pivoting.
template <class W>
Pivots factor_lu(Matrix<W>& a) {
  Pivots pivots;
  for (std::int64_t k = 0; k < std::min(a.rows, a.columns); ++k) {
    std::int64_t best = k;
    for (std::int64_t i = k + 1; i < a.rows; ++i)
      if (std::abs(a(i, k)) > std::abs(a(best, k))) best = i;
    pivots.rows.push_back(best);
    if (best != k) {
      pivots.odd = !pivots.odd;
      for (std::int64_t j = 0; j < a.columns; ++j) std::swap(a(k, j), a(best, j));
    }
    if (a(k, k) == W(0)) {
      pivots.singular = true;
      continue;
    }
    for (std::int64_t i = k + 1; i < a.rows; ++i) {
      const W factor = a(i, k) / a(k, k);
      a(i, k) = factor;
      if (factor == W(0)) continue;
      for (std::int64_t j = k + 1; j < a.columns; ++j) a(i, j) -= factor * a(k, j);
    }
  }
  return pivots;
}

enum class Triangle : std::uint8_t { Lower, UnitLower, Upper };

// b becomes the solution x of a x = b, where only a triangle of `a` is read. False: singular.
template <class W>
bool solve_triangular(const Matrix<W>& a, Triangle part, Matrix<W>& b) {
  const std::int64_t n = a.rows;
  for (std::int64_t step = 0; step < n; ++step) {
    const std::int64_t i = part == Triangle::Upper ? n - 1 - step : step;
    const std::int64_t first = part == Triangle::Upper ? i + 1 : 0;
    const std::int64_t last = part == Triangle::Upper ? n : i;
    for (std::int64_t k = first; k < last; ++k) {
      const W factor = a(i, k);
      if (factor == W(0)) continue;
      for (std::int64_t j = 0; j < b.columns; ++j) b(i, j) -= factor * b(k, j);
    }
    if (part == Triangle::UnitLower) continue;
    if (a(i, i) == W(0)) return false;
    for (std::int64_t j = 0; j < b.columns; ++j) b(i, j) /= a(i, i);
  }
  return true;
}

// b becomes the solution of the system whose matrix was factored.
template <class W>
bool solve_lu(const Matrix<W>& lu, const std::vector<std::int64_t>& pivots, Matrix<W>& b) {
  for (std::size_t i = 0; i < pivots.size(); ++i) {
    const auto row = static_cast<std::int64_t>(i);
    if (pivots[i] == row) continue;
    for (std::int64_t j = 0; j < b.columns; ++j) std::swap(b(row, j), b(pivots[i], j));
  }
  solve_triangular(lu, Triangle::UnitLower, b);
  return solve_triangular(lu, Triangle::Upper, b);
}

// The lower factor of the Hermitian part of `a`. False: not positive definite.
template <class W>
bool factor_cholesky(const Matrix<W>& a, Matrix<W>& lower) {
  for (std::int64_t j = 0; j < a.rows; ++j) {
    for (std::int64_t i = j; i < a.rows; ++i) {
      W sum = (a(i, j) + conjugate(a(j, i))) * 0.5;
      for (std::int64_t k = 0; k < j; ++k) sum -= lower(i, k) * conjugate(lower(j, k));
      if (i == j) {
        const double diagonal = std::real(sum);
        if (!(diagonal > 0)) return false;
        lower(j, j) = W(std::sqrt(diagonal));
      } else {
        lower(i, j) = sum / lower(j, j);
      }
    }
  }
  return true;
}

// c := (I - tau v v*) c, with v = (1, a[k+1:, k]) acting on the rows from k on.
template <class W>
void reflect(const Matrix<W>& a, std::int64_t k, W tau, Matrix<W>& c, std::int64_t first_column) {
  if (tau == W(0)) return;
  for (std::int64_t j = first_column; j < c.columns; ++j) {
    W dot = c(k, j);
    for (std::int64_t i = k + 1; i < a.rows; ++i) dot += conjugate(a(i, k)) * c(i, j);
    dot *= tau;
    c(k, j) -= dot;
    for (std::int64_t i = k + 1; i < a.rows; ++i) c(i, j) -= dot * a(i, k);
  }
}

// Householder's factorisation in place: R in the upper triangle, the vectors of the reflections
// below it, their factors returned. Q = H(0) H(1) ... with H = I - tau v v*.
template <class W>
std::vector<W> factor_qr(Matrix<W>& a) {
  std::vector<W> taus(static_cast<std::size_t>(std::min(a.rows, a.columns)));
  for (std::int64_t k = 0; k < std::min(a.rows, a.columns); ++k) {
    double rest = 0;
    for (std::int64_t i = k + 1; i < a.rows; ++i) rest += std::norm(a(i, k));
    const W alpha = a(k, k);
    if (rest == 0 && std::imag(alpha) == 0) continue;
    const double beta = -std::copysign(std::sqrt(std::norm(alpha) + rest), std::real(alpha));
    const W tau = (W(beta) - alpha) / beta;
    taus[static_cast<std::size_t>(k)] = tau;
    for (std::int64_t i = k + 1; i < a.rows; ++i) a(i, k) /= alpha - beta;
    a(k, k) = W(beta);
    reflect(a, k, conjugate(tau), a, k + 1);
  }
  return taus;
}

// c := Q c, or Q* c, for the Q of `factor_qr`.
template <class W>
void multiply_q(const Matrix<W>& a, const std::vector<W>& taus, bool conjugated, Matrix<W>& c) {
  const auto count = static_cast<std::int64_t>(taus.size());
  for (std::int64_t step = 0; step < count; ++step) {
    const std::int64_t k = conjugated ? step : count - 1 - step;
    const W tau = taus[static_cast<std::size_t>(k)];
    reflect(a, k, conjugated ? conjugate(tau) : tau, c, 0);
  }
}

}  // namespace mycel::ops::linalg
