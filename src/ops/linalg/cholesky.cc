// SPDX-License-Identifier: Apache-2.0
// Cholesky's factorisation and what is computed from the factor.
#include "operator/define.h"
#include "ops/linalg/factorisations.h"
#include "ops/linalg/matrix_operands.h"
#include "ops/linalg/matrix_values.h"
#include "platform/thread/parallel_for.h"

namespace mycel::ops {
namespace {

using namespace linalg;  // NOLINT: one vocabulary

Value halved(GradientContext& op, const Value& value) {
  return op.call("mul", {value, op.emitter().number(0.5)});
}

// With P = tril(L* g), its diagonal halved, and S = L^-* P L^-1, the gradient is (S + S*) / 2.
Value factor_gradient(GradientContext& op, const Value& lower, const Value& gradient) {
  const Value product = op.call("matmul", {conjugate_value(op, lower), op.call("tril", {gradient})},
                                {{"transpose_a", true}});
  const Value both =
      op.call("add", {op.call("tril", {product}), op.call("tril", {product}, {{"diagonal", -1}})});
  const Value part = halved(op, both);
  const Value left = op.call("matrix_triangular_solve", {lower, part}, {{"adjoint", true}});
  const Value right =
      op.call("matrix_triangular_solve", {lower, adjoint_value(op, left)}, {{"adjoint", true}});
  return halved(op, op.call("add", {right, adjoint_value(op, right)}));
}

void infer_same(InferContext& op) {
  require_square(op, 0, "input_x");
  op.set_output(0, op.input(0).dtype, op.input(0).shape);
}

}  // namespace

MYCEL_OP(cholesky)
    .names({.primitive = "Cholesky", .function = "cholesky", .method = "cholesky"})
    .doc("Triangular factors of positive-definite matrices; their Hermitian part is factored.")
    .numpy(
        "(lambda t: np.conj(np.swapaxes(t, -1, -2)) if upper else t)(np.linalg.cholesky(input_x))")
    .input("input_x", "Symmetric or Hermitian positive-definite matrices.", kMatrixTypes)
    .attribute("upper", "Whether the upper factor is wanted.", false)
    .output("output", "Triangular matrices.")
    .infer(infer_same)
    .gradient([](GradientContext& op) {
      const bool upper = op.flag("upper");
      const Value lower = upper ? adjoint_value(op, op.output(0)) : op.output(0);
      const Value gradient =
          upper ? adjoint_value(op, op.output_gradient(0)) : op.output_gradient(0);
      op.set_input_gradient(0, factor_gradient(op, lower, gradient));
    })
    .keeps({"output"})
    .sample("one", {values({2, 2}, {4, 1, 1, 3})})
    .sample("stack, upper", {values({2, 2, 2}, {4, 1, 1, 3, 2, -1, -1, 5})}, {{"upper", true}})
    .sample_dtypes(kMatrixTypes);
MYCEL_CPU_KERNEL(cholesky) {
  const Tensor a = kernel.dense(0);
  if (a.size() == 0) return;
  const std::int64_t n = a.shape().back();
  with_working_type(a.dtype(), [&]<class W>() {
    platform::parallel_for(
        a.size() / (n * n), n * n * n, [&](std::int64_t begin, std::int64_t end) {
          for (std::int64_t item = begin; item < end; ++item) {
            Matrix<W> lower(n, n);
            kernel.require(factor_cholesky(read_matrix<W>(a, item), lower), ErrorKind::Runtime,
                           "the input matrix is not positive definite.");
            write_matrix(kernel.flag("upper") ? adjoint(lower) : lower, kernel.output(0), item);
          }
        });
  });
}

MYCEL_OP(cholesky_solve)
    .names({.primitive = "CholeskySolve"})
    .doc("Solves systems of linear equations, given the triangular factors of their matrices.")
    .numpy(
        "np.linalg.solve((lambda t: np.swapaxes(t, -1, -2) @ t if upper else t @ np.swapaxes(t, "
        "-1, -2))(np.triu(x2) if upper else np.tril(x2)), x1)")
    .input("x1", "Right sides, as columns.", kMatrixTypes)
    .input("x2", "Triangular factors.", kMatrixTypes)
    .attribute("upper", "Whether the factors are upper ones.", false)
    .output("output", "Solutions, as columns.")
    .composite([](CompositeContext& op) {
      const bool lower = !op.flag("upper");
      const Value half = op.call("matrix_triangular_solve", {op.input(1), op.input(0)},
                                 {{"lower", lower}, {"adjoint", !lower}});
      op.set_output(0, op.call("matrix_triangular_solve", {op.input(1), half},
                               {{"lower", lower}, {"adjoint", lower}}));
    })
    .sample("lower", {normal({2, 3}), values({2, 2}, {2, 0, 1, 3})})
    .sample("upper", {normal({2, 3}), values({2, 2}, {2, 1, 0, 3})}, {{"upper", true}});

MYCEL_OP(cholesky_inverse)
    .names({.primitive = "CholeskyInverse",
            .function = "cholesky_inverse",
            .method = "cholesky_inverse"})
    .doc("Inverses of positive-definite matrices, given their triangular factors.")
    .numpy(
        "np.linalg.inv((lambda t: np.swapaxes(t, -1, -2) @ t if upper else t @ np.swapaxes(t, -1, "
        "-2))(np.triu(input_x) if upper else np.tril(input_x)))")
    .input("input_x", "Triangular factors.", kMatrixTypes)
    .attribute("upper", "Whether the factors are upper ones.", false)
    .output("output", "Same shape.")
    .composite([](CompositeContext& op) {
      const Value factor = op.input(0);
      const Shape shape = factor.shape();
      platform::require(shape.size() >= 2 && shape.back() == shape[shape.size() - 2],
                        ErrorKind::Value, "For 'CholeskyInverse', the last two dimensions of ",
                        "'input_x' must be equal, but got shape ", shape, ".");
      const Value one = op.call("eye", {}, {{"n", shape.back()}, {"dtype", factor.dtype()}});
      op.set_output(0, op.call("cholesky_solve", {one, factor}, {{"upper", op.flag("upper")}}));
    })
    .sample("lower", {values({2, 2}, {2, 0, 1, 3})})
    .sample("upper", {values({2, 2}, {2, 1, 0, 3})}, {{"upper", true}});

}  // namespace mycel::ops
