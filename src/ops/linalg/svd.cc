// SPDX-License-Identifier: Apache-2.0
// Singular values with Jacobi's one-sided rotations.
#include <limits>
#include <numeric>

#include "operator/define.h"
#include "ops/linalg/factorisations.h"
#include "ops/linalg/matrix_operands.h"
#include "ops/linalg/matrix_values.h"
#include "platform/thread/parallel_for.h"

namespace mycel::ops {
namespace {

using namespace linalg;  // NOLINT: one vocabulary

constexpr int kSweeps = 60;  // convergence is quadratic; ten are rarely reached

template <class W>
struct Singular {
  Matrix<W> u;                 // orthonormal columns, as many as the matrix has columns
  std::vector<double> values;  // not negative, falling
  Matrix<W> v;                 // square
};

// Turns columns p and q of `a` (and of `v`) until they are orthogonal; whether they were not.
template <class W>
bool rotate(Matrix<W>& a, Matrix<W>& v, std::int64_t p, std::int64_t q) {
  double alpha = 0, beta = 0;
  W gamma = 0;
  for (std::int64_t i = 0; i < a.rows; ++i) {
    alpha += std::norm(a(i, p));
    beta += std::norm(a(i, q));
    gamma += conjugate(a(i, p)) * a(i, q);
  }
  const double size = std::abs(gamma);
  if (size <= std::numeric_limits<double>::epsilon() * std::sqrt(alpha * beta) || size == 0)
    return false;
  const double zeta = (beta - alpha) / (2 * size);
  const double t = std::copysign(1.0, zeta) / (std::abs(zeta) + std::sqrt(1 + zeta * zeta));
  const double c = 1 / std::sqrt(1 + t * t);
  const W phase = gamma / size;
  for (Matrix<W>* m : {&a, &v}) {
    for (std::int64_t i = 0; i < m->rows; ++i) {
      const W x = (*m)(i, p), y = (*m)(i, q) * conjugate(phase);
      (*m)(i, p) = c * (x - t * y);
      (*m)(i, q) = c * (t * x + y);
    }
  }
  return true;
}

// Columns whose singular value is 0 are replaced by ones orthogonal to all others.
template <class W>
void complete_columns(Matrix<W>& u, std::vector<bool> good) {
  std::int64_t next = 0;
  for (std::int64_t j = 0; j < u.columns; ++j) {
    if (good[static_cast<std::size_t>(j)]) continue;
    for (double length = 0; length < 0.5 && next < u.rows; ++next) {
      for (std::int64_t i = 0; i < u.rows; ++i) u(i, j) = W(i == next ? 1 : 0);
      for (int pass = 0; pass < 2; ++pass) {
        for (std::int64_t k = 0; k < u.columns; ++k) {
          if (!good[static_cast<std::size_t>(k)]) continue;
          W dot = 0;
          for (std::int64_t i = 0; i < u.rows; ++i) dot += conjugate(u(i, k)) * u(i, j);
          for (std::int64_t i = 0; i < u.rows; ++i) u(i, j) -= dot * u(i, k);
        }
      }
      length = 0;
      for (std::int64_t i = 0; i < u.rows; ++i) length += std::norm(u(i, j));
      length = std::sqrt(length);
      // Of n unit vectors one keeps at least 1 / sqrt(n) of its length; smaller ones are skipped.
      if (length * std::sqrt(static_cast<double>(u.rows)) < 0.5) {
        length = 0;
        continue;
      }
      for (std::int64_t i = 0; i < u.rows; ++i) u(i, j) /= length;
      length = 1;
    }
    good[static_cast<std::size_t>(j)] = true;
  }
}

// For a matrix with at least as many rows as columns; `columns` of u are wanted.
template <class W>
Singular<W> decompose(Matrix<W> a, std::int64_t columns) {
  const std::int64_t n = a.columns;
  Matrix<W> v = identity<W>(n, n);
  for (int sweep = 0; sweep < kSweeps; ++sweep) {
    bool turned = false;
    for (std::int64_t p = 0; p < n; ++p)
      for (std::int64_t q = p + 1; q < n; ++q) turned |= rotate(a, v, p, q);
    if (!turned) break;
  }
  std::vector<double> lengths(static_cast<std::size_t>(n));
  for (std::int64_t j = 0; j < n; ++j) {
    double sum = 0;
    for (std::int64_t i = 0; i < a.rows; ++i) sum += std::norm(a(i, j));
    lengths[static_cast<std::size_t>(j)] = std::sqrt(sum);
  }
  std::vector<std::int64_t> order(static_cast<std::size_t>(n));
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](std::int64_t x, std::int64_t y) {
    return lengths[static_cast<std::size_t>(x)] > lengths[static_cast<std::size_t>(y)];
  });
  Singular<W> result{Matrix<W>(a.rows, columns), {}, Matrix<W>(n, n)};
  std::vector<bool> good(static_cast<std::size_t>(columns));
  const double least =
      n == 0 ? 0
             : lengths[static_cast<std::size_t>(order[0])] * std::numeric_limits<double>::epsilon();
  for (std::int64_t j = 0; j < n; ++j) {
    const std::int64_t from = order[static_cast<std::size_t>(j)];
    const double length = lengths[static_cast<std::size_t>(from)];
    result.values.push_back(length);
    good[static_cast<std::size_t>(j)] = length > least;
    for (std::int64_t i = 0; i < a.rows && length > least; ++i)
      result.u(i, j) = a(i, from) / length;
    for (std::int64_t i = 0; i < n; ++i) result.v(i, j) = v(i, from);
  }
  complete_columns(result.u, good);
  return result;
}

Shape matrix_shape(const Shape& like, std::int64_t rows, std::int64_t columns) {
  Shape shape = leading_axes(like);
  shape.push_back(rows);
  shape.push_back(columns);
  return shape;
}

DType real_type(DType dtype) {
  if (dtype == DType::Complex64) return DType::Float32;
  return dtype == DType::Complex128 ? DType::Float64 : dtype;
}

// ---- gradient --------------------------------------------------------------------------------

Value product(GradientContext& op, const Value& a, const Value& b) {
  return op.call("matmul", {a, b});
}

Value row_of(GradientContext& op, const Value& values) {
  return op.call("expand_dims", {values}, {{"axis", -2}});
}

// 1 / (s_j^2 - s_i^2) off the diagonal, 0 on it.
Value gaps(GradientContext& op, const Value& values) {
  const Value squares = op.call("square", {values});
  const Value difference =
      op.call("sub", {row_of(op, squares), op.call("expand_dims", {squares}, {{"axis", -1}})});
  const Value zero = op.call("zeros_like", {difference});
  const Value apart = op.call("not_equal", {difference, zero});
  const Value safe = op.call("where", {apart, difference, op.call("ones_like", {difference})});
  return op.call("where", {apart, op.call("reciprocal", {safe}), zero});
}

// The part of x's gradient outside the space that the columns of `basis` span.
Value outside(GradientContext& op, const Value& basis, const Value& gradient) {
  return op.call("sub",
                 {gradient, product(op, basis, product(op, adjoint_value(op, basis), gradient))});
}

void svd_gradient(GradientContext& op) {
  op.require(op.flag("compute_uv"), ErrorKind::Runtime,
             "the gradient needs the singular vectors: 'compute_uv' must be True.");
  op.require(!is_complex(op.input_dtype(0)), ErrorKind::Type,
             "there is a gradient for real matrices only.");
  const Shape& shape = op.input_shape(0);
  op.require(!op.flag("full_matrices") || shape.back() == shape[shape.size() - 2],
             ErrorKind::Runtime, "the gradient needs the reduced form: 'full_matrices' False.");
  const bool of_u = op.has_output_gradient(1), of_v = op.has_output_gradient(2);
  const Value s = op.output(0), u = op.output(1), v = op.output(2);
  const Value s_row = row_of(op, s), f = gaps(op, s);
  const Value turned_v = adjoint_value(op, v);
  const auto antisymmetric = [&](const Value& x, const Value& gradient) {
    const Value inner = product(op, adjoint_value(op, x), gradient);
    return op.call("mul", {f, op.call("sub", {inner, adjoint_value(op, inner)})});
  };
  const Value from_u = op.call("mul", {antisymmetric(u, op.output_gradient(1)), s_row});
  const Value s_column = op.call("expand_dims", {s}, {{"axis", -1}});
  const Value from_v = op.call("mul", {s_column, antisymmetric(v, op.output_gradient(2))});
  const Value middle = product(op, u, op.call("add", {from_u, from_v}));
  const Value from_s = op.call("mul", {u, row_of(op, op.output_gradient(0))});
  Value total = product(op, op.call("add", {middle, from_s}), turned_v);
  // A singular value of 0 would make NaN of what is not asked for.
  if (of_u) {
    const Value outer_u = op.call("div", {outside(op, u, op.output_gradient(1)), s_row});
    total = op.call("add", {total, product(op, outer_u, turned_v)});
  }
  if (of_v) {
    const Value outer_v = op.call("div", {outside(op, v, op.output_gradient(2)), s_row});
    total = op.call("add", {total, product(op, u, adjoint_value(op, outer_v))});
  }
  op.set_input_gradient(0, total);
}

}  // namespace

MYCEL_OP(svd_factors)
    .names({.primitive = "Svd"})
    .doc("Singular values of matrices, falling, and their left and right vectors as columns.")
    .input("input", "Matrices.", kMatrixTypes)
    .attribute("full_matrices", "Whether the matrices of vectors are square.", false)
    .attribute("compute_uv", "Whether the vectors are wanted; else they are empty.", true)
    .output("s", "Singular values.")
    .output("u", "Left vectors.")
    .output("v", "Right vectors.")
    .infer([](InferContext& op) {
      const TensorSpec& x = op.input(0);
      op.require(x.rank() >= 2, ErrorKind::Value,
                 "the dimension of 'input' must be at least 2, but got ", x.rank(), ".");
      const std::int64_t rows = x.shape[x.shape.size() - 2], columns = x.shape.back();
      const std::int64_t count = std::min(rows, columns);
      const bool full = op.flag("full_matrices"), vectors = op.flag("compute_uv");
      Shape values = leading_axes(x.shape);
      values.push_back(count);
      op.set_output(0, real_type(x.dtype), values);
      op.set_output(1, x.dtype,
                    vectors ? matrix_shape(x.shape, rows, full ? rows : count) : Shape{0});
      op.set_output(2, x.dtype,
                    vectors ? matrix_shape(x.shape, columns, full ? columns : count) : Shape{0});
    })
    .gradient(svd_gradient)
    .keeps({"s", "u", "v"})
    .sample("square", {values({2, 2}, {2, 1, -1, 3})})
    .sample("tall", {values({3, 2}, {2, 1, -1, 3, 4, 1})})
    .sample("wide stack", {values({2, 2, 3}, {2, 1, -1, 3, 4, 1, 2, 5, 2, -1, 1, 3})});
MYCEL_CPU_KERNEL(svd_factors) {
  const Tensor x = kernel.dense(0);
  const std::int64_t rows = x.shape()[x.shape().size() - 2], columns = x.shape().back();
  const std::int64_t items = element_count(leading_axes(x.shape()));
  const bool full = kernel.flag("full_matrices"), vectors = kernel.flag("compute_uv");
  const bool wide = columns > rows;
  const std::int64_t count = std::min(rows, columns), longer = std::max(rows, columns);
  with_working_type(x.dtype(), [&]<class W>() {
    platform::parallel_for(
        items, rows * columns * count * 8, [&](std::int64_t begin, std::int64_t end) {
          for (std::int64_t item = begin; item < end; ++item) {
            Matrix<W> matrix = read_matrix<W>(x, item);
            if (wide) matrix = adjoint(matrix);
            const Singular<W> found = decompose(std::move(matrix), full ? longer : count);
            write(found.values.data(), count, kernel.output(0), item * count);
            if (!vectors) continue;
            write_matrix(wide ? found.v : found.u, kernel.output(1), item);
            write_matrix(wide ? found.u : found.v, kernel.output(2), item);
          }
        });
  });
}

}  // namespace mycel::ops
