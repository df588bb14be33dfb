// SPDX-License-Identifier: Apache-2.0
#include "backend/cpu/matmul.h"

#include "operator/define.h"
#include "operator/stored_call.h"
#include "ops/linalg/matrix_operands.h"
#include "ops/linalg/onnx_products.h"
#include "ops/shape/mindir_windows.h"

namespace mycel::ops {
namespace {

enum class Ranks : std::uint8_t { Any, Two, Batched };

void check_ranks(InferContext& op, Ranks ranks) {
  for (std::size_t i = 0; i < 2; ++i) {
    const std::int64_t rank = op.input(i).rank();
    const std::string_view name = i == 0 ? "x1" : "x2";
    if (ranks == Ranks::Any) {
      op.require(rank >= 1, ErrorKind::Value, "the dimension of '", name,
                 "' must be at least 1, but got a tensor without axes.");
    } else if (ranks == Ranks::Two) {
      op.require(rank == 2, ErrorKind::Value, "the dimension of '", name,
                 "' must be equal to 2, but got ", rank, ".");
    } else {
      op.require(rank >= 2, ErrorKind::Value, "the dimension of '", name,
                 "' must be at least 2, but got ", rank, ".");
    }
  }
}

void infer_product(InferContext& op, Ranks ranks) {
  const TensorSpec& a = op.input(0);
  const TensorSpec& b = op.input(1);
  check_ranks(op, ranks);
  require_one_dtype(op, a.dtype, b.dtype);
  const bool vector_a = a.rank() == 1, vector_b = b.rank() == 1;
  // Transposing a vector changes nothing.
  if (vector_a) op.set_attribute("transpose_a", false);
  if (vector_b) op.set_attribute("transpose_b", false);
  const bool ta = op.flag("transpose_a"), tb = op.flag("transpose_b");
  const std::size_t ra = a.shape.size(), rb = b.shape.size();
  const std::string& primitive = op.definition().primitive;
  require_inner_sizes(primitive.empty() ? "MatMul" : primitive,
                      vector_a ? a.shape[0] : a.shape[ra - (ta ? 2 : 1)], a.shape,
                      vector_b ? b.shape[0] : b.shape[rb - (tb ? 1 : 2)], b.shape);
  Shape shape = broadcast_shapes(leading_axes(a.shape), leading_axes(b.shape), op.name());
  if (!vector_a) shape.push_back(a.shape[ra - (ta ? 1 : 2)]);
  if (!vector_b) shape.push_back(b.shape[rb - (tb ? 2 : 1)]);
  op.set_output(0, a.dtype, shape);
}

void run_product(KernelContext& kernel) {
  const Tensor& a = kernel.input(0);
  const Tensor& b = kernel.input(1);
  const Tensor& c = kernel.output(0);
  const bool ta = kernel.flag("transpose_a"), tb = kernel.flag("transpose_b");
  if (a.rank() == 2 && b.rank() == 2 && !ta && !tb) return backend::matmul(a, b, {}, c);
  const bool vector_a = a.rank() == 1, vector_b = b.rank() == 1;
  Shape shape = c.shape();
  Shape batch(shape.begin(), shape.end() - (vector_a ? 0 : 1) - (vector_b ? 0 : 1));
  const Tensor left = as_matrices(a, ta, Side::Left, batch);
  const Tensor right = as_matrices(b, tb, Side::Right, batch);
  batch.push_back(left.shape()[left.shape().size() - 2]);
  batch.push_back(right.shape().back());
  backend::matmul(left, right, {},
                  Tensor::view(c, batch, contiguous_strides(batch), c.body().offset));
}

Value conjugate(GradientContext& op, const Value& value) {
  return is_complex(value.dtype()) ? op.call("conj", {value}) : value;
}

Value reshaped(GradientContext& op, const Value& value, const Shape& shape) {
  return value.shape() == shape ? value : op.call("reshape", {value}, {{"shape", shape}});
}

Value product(GradientContext& op, const Value& a, const Value& b, bool ta, bool tb) {
  return op.call("matmul", {a, b}, {{"transpose_a", ta}, {"transpose_b", tb}});
}

// A stack of matrices times one matrix: its rows are one tall matrix, so that the gradient of the
// single matrix is one product instead of a product per item and a sum.
Value tall(GradientContext& op, const Value& stack) {
  const Shape shape = stack.shape();
  const std::int64_t columns = shape.back();
  std::int64_t rows = 1;
  for (std::size_t i = 0; i + 1 < shape.size(); ++i) rows *= shape[i];
  return reshaped(op, stack, {rows, columns});
}

void product_gradient(GradientContext& op) {
  const bool ta = op.flag("transpose_a"), tb = op.flag("transpose_b");
  const Shape& shape_a = op.input_shape(0);
  const Shape& shape_b = op.input_shape(1);
  const bool vector_a = shape_a.size() == 1, vector_b = shape_b.size() == 1;
  Value dy = op.output_gradient(0);
  Value a, b;
  // Vectors take part as matrices of one row or column.
  if (vector_a || vector_b) {
    Shape shape = dy.shape();
    if (vector_b) shape.push_back(1);
    if (vector_a) shape.insert(shape.size() - 1, 1);
    dy = reshaped(op, dy, shape);
  }
  if (op.wants(1)) {
    a = conjugate(op, op.input(0));
    if (vector_a) a = reshaped(op, a, {1, shape_a[0]});
    Value db;
    if (shape_b.size() <= 2 && shape_a.size() > 2 && !ta) {
      db = tb ? product(op, tall(op, dy), tall(op, a), true, false)
              : product(op, tall(op, a), tall(op, dy), true, false);
    } else {
      db = tb ? product(op, dy, a, true, ta) : product(op, a, dy, !ta, false);
    }
    const Shape target = vector_b ? Shape{shape_b[0], 1} : shape_b;
    op.set_input_gradient(1, reshaped(op, sum_to(db, {db.dtype(), target, false}), shape_b));
  }
  if (op.wants(0)) {
    b = conjugate(op, op.input(1));
    if (vector_b) b = reshaped(op, b, {shape_b[0], 1});
    const Value da = ta ? product(op, b, dy, tb, true) : product(op, dy, b, false, !tb);
    const Shape target = vector_a ? Shape{1, shape_a[0]} : shape_a;
    op.set_input_gradient(0, reshaped(op, sum_to(da, {da.dtype(), target, false}), shape_a));
  }
}

}  // namespace

MYCEL_OP(matmul)
    .names({.function = "matmul", .method = "matmul"})
    .doc("Matrix product. Vectors and stacks of matrices follow NumPy's rules.")
    .numpy("np.matmul(input, other)")
    .input("input", "Left operand, at least one axis.", kNumber)
    .input("other", "Right operand, at least one axis, same dtype.", kNumber)
    .attribute("transpose_a", "Swap the last two axes of `input` first.", false)
    .attribute("transpose_b", "Swap the last two axes of `other` first.", false)
    .output("output", "The product.")
    .infer([](InferContext& op) { infer_product(op, Ranks::Any); })
    .gradient(product_gradient)
    .keeps({"input", "other"})
    .sample("matrices", {normal({3, 4}), normal({4, 5})})
    .sample("vectors", {normal({4}), normal({4})})
    .sample("vector and matrix", {normal({4}), normal({4, 5})})
    .sample("matrix and vector", {normal({3, 4}), normal({4})})
    .sample("vector and stack", {normal({4}), normal({2, 4, 5})})
    .sample("stack and vector", {normal({2, 3, 4}), normal({4})})
    .sample("stack and matrix", {normal({2, 3, 4}), normal({4, 5})})
    .sample("matrix and stack", {normal({3, 4}), normal({2, 4, 5})})
    .sample("stretched stacks", {normal({2, 1, 3, 4}), normal({5, 4, 2})})
    .sample("large", {normal({70, 65}), normal({65, 66})})
    .sample("empty sum", {normal({3, 0}), normal({0, 5})})
    .sample("no rows", {normal({0, 4}), normal({4, 5})})
    .sample_dtypes({DType::Float32, DType::Float64, DType::Float16, DType::BFloat16, DType::Int32,
                    DType::Int64, DType::UInt8, DType::Complex64});

MYCEL_CPU_KERNEL(matmul) { run_product(kernel); }

MYCEL_OP(mat_mul)
    .names({.primitive = "MatMul"})
    .doc("Product of two matrices.")
    .input("input", "A matrix.", kNumber)
    .input("mat2", "A matrix of the same dtype.", kNumber)
    .attribute("transpose_a", "Transpose the first matrix.", false)
    .attribute("transpose_b", "Transpose the second matrix.", false)
    .output("output", "The product.")
    .infer([](InferContext& op) { infer_product(op, Ranks::Two); })
    .gradient(product_gradient)
    .keeps({"input", "mat2"})
    .numpy("np.matmul(input.T if transpose_a else input, mat2.T if transpose_b else mat2)")
    .sample("plain", {normal({3, 4}), normal({4, 5})})
    .sample("first transposed", {normal({4, 3}), normal({4, 5})}, {{"transpose_a", true}})
    .sample("second transposed", {normal({3, 4}), normal({5, 4})}, {{"transpose_b", true}})
    .sample("both transposed", {normal({4, 3}), normal({5, 4})},
            {{"transpose_a", true}, {"transpose_b", true}});

MYCEL_CPU_KERNEL(mat_mul) { run_product(kernel); }

MYCEL_OP(batch_matmul)
    .names({.primitive = "BatchMatMul"})
    .doc("Products of two stacks of matrices, item by item.")
    .input("x", "Stack of matrices.", kNumber)
    .input("y", "Stack of matrices of the same dtype.", kNumber)
    .attribute("transpose_a", "Transpose the matrices of `x`.", false)
    .attribute("transpose_b", "Transpose the matrices of `y`.", false)
    .output("output", "The products.")
    .infer([](InferContext& op) { infer_product(op, Ranks::Batched); })
    .gradient(product_gradient)
    .keeps({"x", "y"})
    .numpy(
        "np.matmul(np.swapaxes(x, -1, -2) if transpose_a else x, "
        "np.swapaxes(y, -1, -2) if transpose_b else y)")
    .sample("plain", {normal({2, 3, 4}), normal({2, 4, 5})})
    .sample("first transposed", {normal({2, 4, 3}), normal({2, 4, 5})}, {{"transpose_a", true}})
    .sample("second transposed", {normal({2, 2, 3, 4}), normal({2, 2, 5, 4})},
            {{"transpose_b", true}})
    .sample("both transposed", {normal({2, 4, 3}), normal({2, 5, 4})},
            {{"transpose_a", true}, {"transpose_b", true}})
    .sample("stretched", {normal({2, 3, 4}), normal({1, 4, 5})});

MYCEL_CPU_KERNEL(batch_matmul) { run_product(kernel); }

MYCEL_OP(bmm)
    .names({.function = "bmm", .method = "bmm"})
    .doc("Products of two stacks of matrices, item by item.")
    .numpy("np.matmul(input_x, mat2)")
    .input("input_x", "Stack of matrices.", kNumber)
    .input("mat2", "Stack of matrices of the same dtype.", kNumber)
    .output("output", "The products.")
    .composite([](CompositeContext& op) {
      op.set_output(0, op.call("batch_matmul", {op.input(0), op.input(1)}));
    })
    .sample("plain", {normal({2, 3, 4}), normal({2, 4, 5})});

MYCEL_ONNX(MatMul, "A B") { return call.call("matmul", {call.tensor("A"), call.tensor("B")}); }

MYCEL_ONNX(Gemm, "A B C") {
  const Value a = call.tensor("A");
  const auto scaled = [&](const Value& value, double factor) {
    return factor == 1 ? value : call.cast(value * factor, a.dtype());
  };
  const Value product = call.call(
      "matmul", {a, call.tensor("B")},
      {{"transpose_a", call.flag("transA", false)}, {"transpose_b", call.flag("transB", false)}});
  const Value found = scaled(product, call.real("alpha", 1));
  return call.has("C") ? found + scaled(call.tensor("C"), call.real("beta", 1)) : found;
}

// A vector as one row on the left, one column on the right.
static mindir::Symbol as_matrix(const mindir::Symbol& x, bool is_left, bool& turns) {
  if (x.rank() > 1) return x;
  turns = false;
  return x.reshape(is_left ? Shape{1, x.size(0)} : Shape{x.size(0), 1});
}

MYCEL_WRITES_MINDIR(matmul) {
  bool turns_x = call.flag("transpose_a");
  bool turns_y = call.flag("transpose_b");
  auto x = call.typed(0);
  auto y = call.typed(1);
  x = as_matrix(x, true, turns_x);
  y = as_matrix(y, false, turns_y);
  const Shape of_x = cut(x.shape(), x.rank() - 2, x.rank());
  const Shape of_y = cut(y.shape(), y.rank() - 2, y.rank());
  if (of_x[turns_x ? 0 : 1] == 0) return call.filled(call.shape(), 0);  // a sum of nothing
  std::int64_t rows = of_x[turns_x ? 1 : 0];
  const std::int64_t columns = of_y[turns_y ? 0 : 1];
  Shape batch = broadcast_shapes(cut(x.shape(), 0, x.rank() - 2), cut(y.shape(), 0, y.rank() - 2),
                                 call.name());
  if (x.rank() > 2 && y.rank() == 2 && !turns_x) {  // all rows at once
    rows = element_count(cut(x.shape(), 0, x.rank() - 1));
    x = x.reshape({rows, of_x[1]});
    batch.clear();
  }
  if (!batch.empty()) {
    x = x.broadcast(joint({batch, of_x}));
    y = y.broadcast(joint({batch, of_y}));
  }
  return x
      .add(batch.empty() ? "MatMul" : "BatchMatMul", {y},
           {.shape = joint({batch, {rows, columns}})},
           {{"transpose_a", turns_x}, {"transpose_b", turns_y}})
      .reshape(call.shape());
}
MYCEL_WRITES_MINDIR_BY(mat_mul, writes_mindir_matmul);
MYCEL_WRITES_MINDIR_BY(batch_matmul, writes_mindir_matmul);

static onnx::Symbol matrix_product(const onnx::Call& call) {
  auto x = call.typed(0);
  auto y = call.typed(1);
  if (call.flag("transpose_a") && call.rank_of(0) > 1) x = swapped(x, call.rank_of(0));
  if (call.flag("transpose_b") && call.rank_of(1) > 1) y = swapped(y, call.rank_of(1));
  return x.add("MatMul", {y});
}

MYCEL_WRITES_ONNX_BY(matmul, matrix_product);
MYCEL_WRITES_ONNX_BY(mat_mul, matrix_product);
MYCEL_WRITES_ONNX_BY(batch_matmul, matrix_product);

}  // namespace mycel::ops
