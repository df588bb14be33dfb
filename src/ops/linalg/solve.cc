// SPDX-License-Identifier: Apache-2.0
// Systems of linear equations, inverses and determinants.
#include "operator/define.h"
#include "operator/onnx_call.h"
#include "operator/stored_call.h"
#include "ops/linalg/factorisations.h"
#include "ops/linalg/matrix_operands.h"
#include "ops/linalg/matrix_values.h"
#include "platform/thread/parallel_for.h"

namespace mycel::ops {
namespace {

using namespace linalg;  // NOLINT: one vocabulary

// ---- solving ---------------------------------------------------------------------------------

void infer_solve(InferContext& op) {
  const TensorSpec& a = op.input(0);
  const TensorSpec& b = op.input(1);
  require_square(op, 0, "matrix");
  op.require(b.rank() >= 2, ErrorKind::Value, "the dimension of 'rhs' must be at least 2, but got ",
             b.rank(), ".");
  op.require_same_dtype(0, 1);
  const std::int64_t n = a.shape.back(), rows = b.shape[b.shape.size() - 2];
  op.require(n == rows, ErrorKind::Value,
             "'rhs' must have as many rows as 'matrix', but got shapes ", a.shape, " and ", b.shape,
             ".");
  Shape shape = broadcast_shapes(leading_axes(a.shape), leading_axes(b.shape), op.name());
  shape.push_back(n);
  shape.push_back(b.shape.back());
  op.set_output(0, a.dtype, shape);
}

Tensor stretched(const Tensor& x, const Shape& batch) {
  return tensor::contiguous(as_matrices(x, false, Side::Right, batch));
}

enum class Structure : std::uint8_t { General, Lower, Upper };

template <class W>
bool solve_one(Matrix<W> a, Structure structure, bool conjugated, Matrix<W>& b) {
  if (conjugated) {
    a = adjoint(a);
    if (structure != Structure::General)
      structure = structure == Structure::Lower ? Structure::Upper : Structure::Lower;
  }
  if (structure == Structure::Lower) return solve_triangular(a, Triangle::Lower, b);
  if (structure == Structure::Upper) return solve_triangular(a, Triangle::Upper, b);
  const Pivots pivots = factor_lu(a);
  return !pivots.singular && solve_lu(a, pivots.rows, b);
}

void run_solve(KernelContext& kernel, Structure structure) {
  const Tensor& x = kernel.output(0);
  if (x.size() == 0) return;
  const Shape batch = leading_axes(x.shape());
  const Tensor a = stretched(kernel.input(0), batch), b = stretched(kernel.input(1), batch);
  const std::int64_t n = a.shape().back(), items = element_count(batch);
  with_working_type(x.dtype(), [&]<class W>() {
    platform::parallel_for(items, n * n * n, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t item = begin; item < end; ++item) {
        Matrix<W> right = read_matrix<W>(b, item);
        const bool solved =
            solve_one(read_matrix<W>(a, item), structure, kernel.flag("adjoint"), right);
        kernel.require(solved, ErrorKind::Runtime, "the input 'matrix' is not invertible.");
        write_matrix(right, x, item);
      }
    });
  });
}

// x = A^-1 b: the gradient of b is A^-* g, and that of A is minus its product with x*.
Value solve_gradients(GradientContext& op, const Value& b_gradient) {
  if (op.wants(1)) op.set_input_gradient(1, sum_to(b_gradient, op.input_specs[1]));
  const bool conjugated = op.flag("adjoint");
  const Value left = conjugated ? op.output(0) : b_gradient;
  const Value right = conjugated ? b_gradient : op.output(0);
  const Value product =
      op.call("matmul", {left, conjugate_value(op, right)}, {{"transpose_b", true}});
  return op.call("neg", {product});
}

// ---- inverse and determinants ----------------------------------------------------------------

void infer_determinant(InferContext& op) {
  require_square(op, 0, "input");
  const Shape shape = leading_axes(op.input(0).shape);
  op.set_output(0, op.input(0).dtype, shape);
  if (op.definition().outputs.size() > 1) op.set_output(1, op.input(0).dtype, shape);
}

Value inverse_adjoint(GradientContext& op, const Value& matrix) {
  return op.call("matrix_inverse", {matrix}, {{"adjoint", true}});
}

Value over_matrix(GradientContext& op, const Value& value) {
  return op.call("expand_dims", {op.call("expand_dims", {value}, {{"axis", -1}})}, {{"axis", -1}});
}

}  // namespace

MYCEL_OP(matrix_solve)
    .names({.primitive = "MatrixSolve", .function = "matrix_solve"})
    .doc("Solves systems of linear equations.")
    .numpy("np.linalg.solve(np.conj(np.swapaxes(matrix, -1, -2)) if adjoint else matrix, rhs)")
    .input("matrix", "Square matrices.", kMatrixTypes)
    .input("rhs", "Right sides, as columns.", kMatrixTypes)
    .attribute("adjoint", "Whether the conjugate transpose of `matrix` is meant.", false)
    .output("output", "Solutions, as columns.")
    .infer(infer_solve)
    .gradient([](GradientContext& op) {
      const Value gradient = op.call("matrix_solve", {op.input(0), op.output_gradient(0)},
                                     {{"adjoint", !op.flag("adjoint")}});
      const Value matrix = solve_gradients(op, gradient);
      if (op.wants(0)) op.set_input_gradient(0, sum_to(matrix, op.input_specs[0]));
    })
    .keeps({"matrix", "output"})
    .sample("one", {values({2, 2}, {2, 1, -1, 3}), normal({2, 3})})
    .sample("stack", {values({2, 2, 2}, {2, 1, -1, 3, 1, 2, 3, -4}), normal({2, 2, 1})},
            {{"adjoint", true}})
    .sample_dtypes(kMatrixTypes);
MYCEL_CPU_KERNEL(matrix_solve) { run_solve(kernel, Structure::General); }

MYCEL_OP(matrix_triangular_solve)
    .names({.primitive = "MatrixTriangularSolve"})
    .doc("Solves systems of linear equations whose matrices are triangular; the rest is not read.")
    .input("matrix", "Square matrices.", kMatrixTypes)
    .input("rhs", "Right sides, as columns.", kMatrixTypes)
    .attribute("lower", "Whether the lower triangle counts, else the upper one.", true)
    .attribute("adjoint", "Whether the conjugate transpose of `matrix` is meant.", false)
    .output("output", "Solutions, as columns.")
    .infer(infer_solve)
    .gradient([](GradientContext& op) {
      const Value gradient =
          op.call("matrix_triangular_solve", {op.input(0), op.output_gradient(0)},
                  {{"lower", op.flag("lower")}, {"adjoint", !op.flag("adjoint")}});
      const Value matrix = solve_gradients(op, gradient);
      if (!op.wants(0)) return;
      const Value summed = sum_to(matrix, op.input_specs[0]);
      op.set_input_gradient(0, op.call(op.flag("lower") ? "tril" : "triu", {summed}));
    })
    .keeps({"matrix", "output"})
    .numpy(
        "np.linalg.solve((lambda t: np.conj(np.swapaxes(t, -1, -2)) if adjoint else t)("
        "np.tril(matrix) if lower else np.triu(matrix)), rhs)")
    .sample("lower", {values({2, 2}, {2, 1, -1, 3}), normal({2, 3})})
    .sample("upper, stack", {values({2, 2, 2}, {2, 1, -1, 3, 1, 2, 3, -4}), normal({2, 2, 1})},
            {{"lower", false}})
    .sample("adjoint", {values({2, 2}, {2, 1, -1, 3}), normal({2, 3})}, {{"adjoint", true}})
    .sample_dtypes(kMatrixTypes);
MYCEL_CPU_KERNEL(matrix_triangular_solve) {
  run_solve(kernel, kernel.flag("lower") ? Structure::Lower : Structure::Upper);
}

MYCEL_OP(matrix_inverse)
    .names({.primitive = "MatrixInverse"})
    .doc("Inverses of square matrices.")
    .numpy("np.linalg.inv(np.conj(np.swapaxes(input, -1, -2)) if adjoint else input)")
    .input("input", "Square matrices.", kMatrixTypes)
    .attribute("adjoint", "Whether the conjugate transpose is inverted.", false)
    .output("output", "Same shape.")
    .infer([](InferContext& op) {
      require_square(op, 0, "input");
      op.set_output(0, op.input(0).dtype, op.input(0).shape);
    })
    .gradient([](GradientContext& op) {
      const Value inverse = conjugate_value(op, op.output(0));
      const Value half =
          op.call("matmul", {inverse, op.output_gradient(0)}, {{"transpose_a", true}});
      const Value full =
          op.call("neg", {op.call("matmul", {half, inverse}, {{"transpose_b", true}})});
      op.set_input_gradient(0, op.flag("adjoint") ? adjoint_value(op, full) : full);
    })
    .keeps({"output"})
    .sample("one", {values({2, 2}, {2, 1, -1, 3})})
    .sample("stack", {values({2, 2, 2}, {2, 1, -1, 3, 1, 2, 3, -4})}, {{"adjoint", true}})
    .sample("nothing", {normal({0, 3, 3})})
    .sample_dtypes(kMatrixTypes);
MYCEL_CPU_KERNEL(matrix_inverse) {
  const Tensor a = kernel.dense(0);
  if (a.size() == 0) return;
  const std::int64_t n = a.shape().back();
  const Structure general = Structure::General;
  with_working_type(a.dtype(), [&]<class W>() {
    platform::parallel_for(
        a.size() / (n * n), n * n * n, [&](std::int64_t begin, std::int64_t end) {
          for (std::int64_t item = begin; item < end; ++item) {
            Matrix<W> inverse = identity<W>(n, n);
            const bool solved =
                solve_one(read_matrix<W>(a, item), general, kernel.flag("adjoint"), inverse);
            kernel.require(solved, ErrorKind::Runtime, "the input matrix is not invertible.");
            write_matrix(inverse, kernel.output(0), item);
          }
        });
  });
}

MYCEL_OP(matrix_determinant)
    .names({.primitive = "MatrixDeterminant", .function = "det", .method = "det"})
    .function_aliases({"matrix_determinant"})
    .method_aliases({"matrix_determinant"})
    .doc("Determinants of square matrices.")
    .numpy("np.linalg.det(input)")
    .input("input", "Square matrices.", kMatrixTypes)
    .output("output", "One number per matrix.")
    .infer(infer_determinant)
    .gradient([](GradientContext& op) {
      const Value scale =
          op.call("mul", {op.output_gradient(0), conjugate_value(op, op.output(0))});
      op.set_input_gradient(
          0, op.call("mul", {over_matrix(op, scale), inverse_adjoint(op, op.input(0))}));
    })
    .keeps({"input", "output"})
    .sample("one", {values({2, 2}, {2, 1, -1, 3})})
    .sample("stack", {values({2, 2, 2}, {2, 1, -1, 3, 1, 2, 3, -4})})
    .sample_dtypes(kMatrixTypes);
MYCEL_CPU_KERNEL(matrix_determinant) {
  const Tensor a = kernel.dense(0);
  const Tensor& determinants = kernel.output(0);
  with_working_type(a.dtype(), [&]<class W>() {
    for (std::int64_t item = 0; item < determinants.size(); ++item) {
      Matrix<W> factors = read_matrix<W>(a, item);
      W product = factor_lu(factors).odd ? W(-1) : W(1);
      for (std::int64_t i = 0; i < factors.rows; ++i) product *= factors(i, i);
      write(&product, 1, determinants, item);
    }
  });
}

MYCEL_OP(log_matrix_determinant)
    .names({.primitive = "LogMatrixDeterminant", .function = "slogdet", .method = "slogdet"})
    .function_aliases({"log_matrix_determinant"})
    .method_aliases({"log_matrix_determinant"})
    .doc("Signs of determinants, and logarithms of their absolute values.")
    .numpy("tuple(np.linalg.slogdet(input))")
    .input("input", "Square matrices.", kMatrixTypes)
    .output("sign", "Sign, or unit complex number.")
    .output("logarithm", "Logarithm of the absolute value; -inf for a singular matrix.")
    .infer(infer_determinant)
    .gradient([](GradientContext& op) {
      Value scale = op.output_gradient(1);
      if (is_complex(op.input_dtype(0))) {  // the sign turns with the angle of the determinant
        const Value turned =
            op.call("mul", {op.output_gradient(0), op.call("conj", {op.output(0)})});
        scale = op.call("complex", {op.call("real", {scale}), op.call("imag", {turned})});
      }
      op.set_input_gradient(
          0, op.call("mul", {over_matrix(op, scale), inverse_adjoint(op, op.input(0))}));
    })
    .keeps({"input", "sign"})
    .sample("one", {values({2, 2}, {2, 1, -1, 3})})
    .sample("stack", {values({2, 2, 2}, {2, 1, -1, 3, 1, 2, 3, -4})})
    .sample_dtypes({DType::Float32, DType::Float64});
MYCEL_CPU_KERNEL(log_matrix_determinant) {
  const Tensor a = kernel.dense(0);
  with_working_type(a.dtype(), [&]<class W>() {
    for (std::int64_t item = 0; item < kernel.output(0).size(); ++item) {
      Matrix<W> factors = read_matrix<W>(a, item);
      W sign = factor_lu(factors).odd ? W(-1) : W(1);
      double logarithm = 0;
      for (std::int64_t i = 0; i < factors.rows; ++i) {
        const double size = std::abs(factors(i, i));
        logarithm += std::log(size);
        sign *= size == 0 ? W(0) : factors(i, i) / size;
      }
      write(&sign, 1, kernel.output(0), item);
      write(&logarithm, 1, kernel.output(1), item);
    }
  });
}

static const onnx::Twins onnx_determinant{{"Det", "matrix_determinant"}};

}  // namespace mycel::ops
