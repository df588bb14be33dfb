// SPDX-License-Identifier: Apache-2.0
// Orthogonal factorisations with Householder's reflections.
#include "operator/define.h"
#include "ops/linalg/factorisations.h"
#include "ops/linalg/matrix_operands.h"
#include "ops/linalg/matrix_values.h"
#include "platform/thread/parallel_for.h"

namespace mycel::ops {
namespace {

using namespace linalg;  // NOLINT: one vocabulary

struct Sizes {
  std::int64_t rows, columns, items;
};

Sizes sizes_of(const Tensor& stack) {
  const Shape& shape = stack.shape();
  return {shape[shape.size() - 2], shape.back(), element_count(leading_axes(shape))};
}

void require_matrix(const InferContext& op, std::size_t input, std::string_view name) {
  op.require(op.input(input).rank() >= 2, ErrorKind::Value, "the dimension of '", name,
             "' must be at least 2, but got ", op.input(input).rank(), ".");
}

Shape with_matrix(Shape shape, std::int64_t rows, std::int64_t columns) {
  shape[shape.size() - 2] = rows;
  shape[shape.size() - 1] = columns;
  return shape;
}

template <class W>
std::vector<W> read_taus(const Tensor& stack, std::int64_t item) {
  std::vector<W> taus(static_cast<std::size_t>(stack.shape().back()));
  read(stack, item * stack.shape().back(), taus.data(), stack.shape().back());
  return taus;
}

// The lower triangle, mirrored.
Value mirrored(GradientContext& op, const Value& value) {
  const Value below = op.call("tril", {value}, {{"diagonal", -1}});
  return op.call("add", {op.call("tril", {value}), adjoint_value(op, below)});
}

Value times(GradientContext& op, const Value& a, const Value& b) {
  return op.call("matmul", {a, b});
}

// With M = R gR* - gQ* Q: the gradient is (gQ + Q mirrored(M)) R^-*.
void qr_gradient(GradientContext& op) {
  op.require(!is_complex(op.input_dtype(0)), ErrorKind::Type,
             "there is a gradient for real matrices only.");
  const Shape& shape = op.input_shape(0);
  const std::int64_t rows = shape[shape.size() - 2], columns = shape.back();
  op.require(rows >= columns && (!op.flag("full_matrices") || rows == columns), ErrorKind::Runtime,
             "the gradient needs at least as many rows as columns, and the reduced form, but got "
             "shape ",
             shape, ".");
  const Value q = op.output(0), r = op.output(1);
  const Value q_gradient = op.output_gradient(0), r_gradient = op.output_gradient(1);
  const Value middle = op.call("sub", {times(op, r, adjoint_value(op, r_gradient)),
                                       times(op, adjoint_value(op, q_gradient), q)});
  const Value sum = op.call("add", {q_gradient, times(op, q, mirrored(op, middle))});
  const Value solved =
      op.call("matrix_triangular_solve", {r, adjoint_value(op, sum)}, {{"lower", false}});
  op.set_input_gradient(0, adjoint_value(op, solved));
}

void check_reflections(const InferContext& op) {
  require_matrix(op, 0, "x");
  op.require_same_dtype(0, 1);
  const Shape& x = op.input(0).shape;
  const Shape& tau = op.input(1).shape;
  const std::int64_t limit = std::min(x.back(), x[x.size() - 2]);
  op.require(tau.size() + 1 == x.size() && tau.back() <= limit, ErrorKind::Value,
             "'tau' must hold at most ", limit, " factors per matrix, but got shapes ", x, " and ",
             tau, ".");
  for (std::size_t i = 0; i + 2 < x.size(); ++i)
    op.require(tau[i] == x[i], ErrorKind::Value,
               "'tau' must have the leading axes of 'x', but got shapes ", x, " and ", tau, ".");
}

}  // namespace

MYCEL_OP(matrix_qr)
    .names({.primitive = "Qr"})
    .doc("Factors of matrices: orthonormal columns, and an upper triangle.")
    .numpy("tuple(np.linalg.qr(x, 'complete' if full_matrices else 'reduced'))")
    .input("x", "Matrices.", kMatrixTypes)
    .attribute("full_matrices", "Whether the first factor is square.", false)
    .output("q", "Orthonormal columns.")
    .output("r", "Upper triangular.")
    .infer([](InferContext& op) {
      require_matrix(op, 0, "x");
      const TensorSpec& x = op.input(0);
      const std::int64_t rows = x.shape[x.shape.size() - 2], columns = x.shape.back();
      const std::int64_t kept = op.flag("full_matrices") ? rows : std::min(rows, columns);
      op.set_output(0, x.dtype, with_matrix(x.shape, rows, kept));
      op.set_output(1, x.dtype, with_matrix(x.shape, kept, columns));
    })
    .gradient(qr_gradient)
    .keeps({"q", "r"})
    .sample("square", {values({2, 2}, {2, 1, -1, 3})})
    .sample("tall", {values({3, 2}, {2, 1, -1, 3, 4, 1})})
    .sample("stack", {values({2, 2, 2}, {2, 1, -1, 3, 1, 2, 3, -4})})
    .sample_dtypes({DType::Float32, DType::Float64});
MYCEL_CPU_KERNEL(matrix_qr) {
  const Tensor x = kernel.dense(0);
  const Sizes sizes = sizes_of(x);
  const std::int64_t work = sizes.rows * sizes.columns * kernel.output(0).shape().back();
  with_working_type(x.dtype(), [&]<class W>() {
    platform::parallel_for(sizes.items, work, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t item = begin; item < end; ++item) {
        Matrix<W> factors = read_matrix<W>(x, item);
        const std::vector<W> taus = factor_qr(factors);
        Matrix<W> q = identity<W>(factors.rows, kernel.output(0).shape().back());
        multiply_q(factors, taus, false, q);
        Matrix<W> r(q.columns, factors.columns);
        for (std::int64_t i = 0; i < r.rows; ++i)
          for (std::int64_t j = i; j < r.columns; ++j) r(i, j) = factors(i, j);
        write_matrix(q, kernel.output(0), item);
        write_matrix(r, kernel.output(1), item);
      }
    });
  });
}

MYCEL_OP(geqrf)
    .names({.primitive = "Geqrf", .function = "geqrf", .method = "geqrf"})
    .doc("The factorisation into reflections: R, below it their vectors; and their factors.")
    .input("input", "Matrices.", kMatrixTypes)
    .output("y", "R in the upper triangle, the vectors below it.")
    .output("tau", "One factor per reflection.")
    .infer([](InferContext& op) {
      require_matrix(op, 0, "input");
      const TensorSpec& x = op.input(0);
      op.set_output(0, x.dtype, x.shape);
      Shape taus = leading_axes(x.shape);
      taus.push_back(std::min(x.shape[x.shape.size() - 2], x.shape.back()));
      op.set_output(1, x.dtype, taus);
    })
    .not_differentiable()
    .sample("tall", {values({3, 2}, {2, 1, -1, 3, 4, 1})})
    .sample("stack", {normal({2, 2, 3})})
    .sample_dtypes(kMatrixTypes);
MYCEL_CPU_KERNEL(geqrf) {
  const Tensor x = kernel.dense(0);
  with_working_type(x.dtype(), [&]<class W>() {
    for (std::int64_t item = 0; item < sizes_of(x).items; ++item) {
      Matrix<W> factors = read_matrix<W>(x, item);
      const std::vector<W> taus = factor_qr(factors);
      const auto count = static_cast<std::int64_t>(taus.size());
      write_matrix(factors, kernel.output(0), item);
      write(taus.data(), count, kernel.output(1), item * count);
    }
  });
}

MYCEL_OP(orgqr)
    .names({.primitive = "Orgqr"})
    .doc("The first columns of the product of reflections.")
    .input("x", "Vectors of the reflections, below the diagonal.", kMatrixTypes)
    .input("tau", "One factor per reflection.", kMatrixTypes)
    .output("y", "Orthonormal columns, in the shape of `x`.")
    .infer([](InferContext& op) {
      check_reflections(op);
      const Shape& x = op.input(0).shape;
      op.require(x[x.size() - 2] >= x.back(), ErrorKind::Value,
                 "'x' must have at least as many rows as columns, but got shape ", x, ".");
      op.set_output(0, op.input(0).dtype, x);
    })
    .not_differentiable()
    .sample("tall", {values({3, 2}, {2, 1, -1, 3, 4, 1}), values({2}, {0.5, 1.2})})
    .sample_dtypes(kMatrixTypes);
MYCEL_CPU_KERNEL(orgqr) {
  const Tensor x = kernel.dense(0), tau = kernel.dense(1);
  with_working_type(x.dtype(), [&]<class W>() {
    for (std::int64_t item = 0; item < sizes_of(x).items; ++item) {
      const Matrix<W> vectors = read_matrix<W>(x, item);
      Matrix<W> q = identity<W>(vectors.rows, vectors.columns);
      multiply_q(vectors, read_taus<W>(tau, item), false, q);
      write_matrix(q, kernel.output(0), item);
    }
  });
}

MYCEL_OP(ormqr)
    .names({.primitive = "Ormqr"})
    .doc("A product with the matrix that reflections make.")
    .input("x", "Vectors of the reflections, below the diagonal.", kMatrixTypes)
    .input("tau", "One factor per reflection.", kMatrixTypes)
    .input("other", "The other matrices.", kMatrixTypes)
    .attribute("left", "Whether the reflections stand on the left.", true)
    .attribute("transpose", "Whether their conjugate transpose is meant.", false)
    .output("y", "In the shape of `other`.")
    .infer([](InferContext& op) {
      check_reflections(op);
      require_matrix(op, 2, "other");
      op.require_same_dtype(0, 2);
      const Shape& x = op.input(0).shape;
      const Shape& other = op.input(2).shape;
      const std::int64_t joined = other[other.size() - (op.flag("left") ? 2 : 1)];
      op.require(joined == x[x.size() - 2] && leading_axes(x) == leading_axes(other),
                 ErrorKind::Value, "'x' and 'other' do not fit together, with shapes ", x, " and ",
                 other, ".");
      op.set_output(0, op.input(2).dtype, other);
    })
    .not_differentiable()
    .sample("left", {values({3, 2}, {2, 1, -1, 3, 4, 1}), values({2}, {0.5, 1.2}), normal({3, 2})})
    .sample("right", {values({3, 2}, {2, 1, -1, 3, 4, 1}), values({2}, {0.5, 1.2}), normal({2, 3})},
            {{"left", false}, {"transpose", true}})
    .sample_dtypes(kMatrixTypes);
MYCEL_CPU_KERNEL(ormqr) {
  const Tensor x = kernel.dense(0), tau = kernel.dense(1), other = kernel.dense(2);
  const bool left = kernel.flag("left"), transpose = kernel.flag("transpose");
  with_working_type(x.dtype(), [&]<class W>() {
    for (std::int64_t item = 0; item < sizes_of(x).items; ++item) {
      Matrix<W> product = read_matrix<W>(other, item);
      if (!left) product = adjoint(product);  // (c Q)* = Q* c*
      multiply_q(read_matrix<W>(x, item), read_taus<W>(tau, item), transpose == left, product);
      write_matrix(left ? product : adjoint(product), kernel.output(0), item);
    }
  });
}

}  // namespace mycel::ops
