// SPDX-License-Identifier: Apache-2.0
// Work with the factors of an LU factorisation, in LAPACK's form: both in one matrix, and the row
// that every row was exchanged with, counted from 1.
#include "operator/define.h"
#include "ops/linalg/factorisations.h"
#include "ops/linalg/matrix_operands.h"
#include "ops/linalg/matrix_values.h"

namespace mycel::ops {
namespace {

using namespace linalg;  // NOLINT: one vocabulary

// Pivots of one matrix, counted from 0.
std::vector<std::int64_t> read_pivots(const KernelContext& kernel, const Tensor& stack,
                                      std::int64_t item, std::int64_t rows) {
  const std::int64_t count = stack.shape().back();
  std::vector<double> numbers(static_cast<std::size_t>(count));
  read(stack, item * count, numbers.data(), count);
  std::vector<std::int64_t> pivots;
  for (const double number : numbers) {
    kernel.require(number >= 1 && number <= static_cast<double>(rows), ErrorKind::Value,
                   "pivots must be in [1, ", rows, "], but got ", static_cast<std::int64_t>(number),
                   ".");
    pivots.push_back(static_cast<std::int64_t>(number) - 1);
  }
  return pivots;
}

// Pivots of matrices `shape`: one per row that can be exchanged, below the same leading axes.
void check_pivots(const InferContext& op, std::size_t input, const Shape& shape) {
  const Shape& pivots = op.input(input).shape;
  Shape expected = leading_axes(shape);
  expected.push_back(std::min(shape[shape.size() - 2], shape.back()));
  op.require(pivots == expected, ErrorKind::Value, "the pivots must have shape ", expected,
             ", but got ", pivots, ".");
}

}  // namespace

MYCEL_OP(lu_solve)
    .names({.primitive = "LuSolve"})
    .doc("Solves systems of linear equations, given the LU factors of their matrices.")
    .input("x", "Right sides, as columns.", kMatrixTypes)
    .input("lu_data", "L without its diagonal and U, in one matrix.", kMatrixTypes)
    .input("lu_pivots", "Row each row was exchanged with, from 1.", kIndex)
    .output("output", "Solutions, as columns.")
    .infer([](InferContext& op) {
      require_square(op, 1, "lu_data");
      op.require_same_dtype(0, 1);
      const Shape& x = op.input(0).shape;
      const Shape& lu = op.input(1).shape;
      check_pivots(op, 2, lu);
      op.require(x.size() >= 2 && x[x.size() - 2] == lu.back(), ErrorKind::Value,
                 "'x' must have as many rows as 'lu_data', but got shapes ", x, " and ", lu, ".");
      Shape shape = broadcast_shapes(leading_axes(x), leading_axes(lu), op.name());
      shape.push_back(lu.back());
      shape.push_back(x.back());
      op.set_output(0, op.input(0).dtype, shape);
    })
    .not_differentiable()
    .sample("one",
            {normal({2, 3}), values({2, 2}, {4, 1, 0.5, 3}), integers({2}, 2, 3, DType::Int32)})
    .sample_dtypes(kMatrixTypes);
MYCEL_CPU_KERNEL(lu_solve) {
  const Tensor& y = kernel.output(0);
  if (y.size() == 0) return;
  const Shape batch = leading_axes(y.shape());
  const Tensor x = tensor::contiguous(as_matrices(kernel.input(0), false, Side::Right, batch));
  const Tensor lu = tensor::contiguous(as_matrices(kernel.input(1), false, Side::Right, batch));
  const Tensor pivots = kernel.dense(2);
  const std::int64_t n = lu.shape().back();
  const std::int64_t stacks = pivots.size() / n, items = element_count(batch);
  kernel.require(stacks == items || stacks == 1, ErrorKind::Value,
                 "'lu_data' must have the leading axes of 'x'.");
  with_working_type(y.dtype(), [&]<class W>() {
    for (std::int64_t item = 0; item < items; ++item) {
      Matrix<W> right = read_matrix<W>(x, item);
      const auto rows = read_pivots(kernel, pivots, stacks == 1 ? 0 : item, n);
      kernel.require(solve_lu(read_matrix<W>(lu, item), rows, right), ErrorKind::Runtime,
                     "the matrix is not invertible.");
      write_matrix(right, y, item);
    }
  });
}

MYCEL_OP(lu_unpack)
    .names({.primitive = "LuUnpack"})
    .doc("The permutation and the two triangles of an LU factorisation.")
    .input("LU_data", "L without its diagonal and U, in one matrix.", kReal | kComplex)
    .input("LU_pivots", "Row each row was exchanged with, from 1.", kIndex)
    .attribute("unpack_data", "Accepted for compatibility: all parts are given.", true)
    .attribute("unpack_pivots", "Accepted for compatibility: all parts are given.", true)
    .output("pivots", "Permutation P, with P L U the matrix.")
    .output("L", "Lower triangle with ones on the diagonal.")
    .output("U", "Upper triangle.")
    .infer([](InferContext& op) {
      const TensorSpec& lu = op.input(0);
      op.require(lu.rank() >= 2, ErrorKind::Value,
                 "the dimension of 'LU_data' must be at least 2, but got ", lu.rank(), ".");
      check_pivots(op, 1, lu.shape);
      const std::int64_t rows = lu.shape[lu.shape.size() - 2], columns = lu.shape.back();
      const std::int64_t sizes[3][2] = {
          {rows, rows}, {rows, std::min(rows, columns)}, {std::min(rows, columns), columns}};
      for (std::size_t i = 0; i < 3; ++i) {
        Shape shape = leading_axes(lu.shape);
        shape.push_back(sizes[i][0]);
        shape.push_back(sizes[i][1]);
        op.set_output(i, lu.dtype, shape);
      }
    })
    .not_differentiable()
    .sample("one", {values({2, 2}, {4, 1, 0.5, 3}), integers({2}, 2, 3, DType::Int32)})
    .sample("wide", {normal({2, 3}), integers({2}, 2, 3, DType::Int32)});
MYCEL_CPU_KERNEL(lu_unpack) {
  const Tensor data = kernel.dense(0), pivots = kernel.dense(1);
  const std::int64_t items = element_count(leading_axes(data.shape()));
  with_working_type(data.dtype(), [&]<class W>() {
    for (std::int64_t item = 0; item < items; ++item) {
      const Matrix<W> lu = read_matrix<W>(data, item);
      const std::int64_t kept = std::min(lu.rows, lu.columns);
      const auto exchanged = read_pivots(kernel, pivots, item, lu.rows);
      Matrix<W> permutation = identity<W>(lu.rows, lu.rows);
      for (auto i = static_cast<std::int64_t>(exchanged.size()) - 1; i >= 0; --i) {
        const std::int64_t other = exchanged[static_cast<std::size_t>(i)];
        for (std::int64_t j = 0; j < lu.rows && other != i; ++j)
          std::swap(permutation(i, j), permutation(other, j));
      }
      Matrix<W> lower = identity<W>(lu.rows, kept), upper(kept, lu.columns);
      for (std::int64_t i = 0; i < lu.rows; ++i)
        for (std::int64_t j = 0; j < std::min(i, kept); ++j) lower(i, j) = lu(i, j);
      for (std::int64_t i = 0; i < kept; ++i)
        for (std::int64_t j = i; j < lu.columns; ++j) upper(i, j) = lu(i, j);
      write_matrix(permutation, kernel.output(0), item);
      write_matrix(lower, kernel.output(1), item);
      write_matrix(upper, kernel.output(2), item);
    }
  });
}

}  // namespace mycel::ops
