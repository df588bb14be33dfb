// SPDX-License-Identifier: Apache-2.0
#include "backend/cpu/matmul.h"
#include "operator/define.h"
#include "operator/mindir_call.h"
#include "ops/linalg/matrix_operands.h"
#include "ops/linalg/matrix_values.h"
#include "ops/linalg/onnx_products.h"

namespace mycel::ops {
namespace {

Value as_rows(GradientContext& op, const Value& value) {
  if (value.rank() == 2) return value;
  const Shape shape = value.shape();
  std::int64_t rows = 1;
  for (std::size_t i = 0; i + 1 < shape.size(); ++i) rows *= shape[i];
  return op.call("reshape", {value}, {{"shape", Shape{rows, shape.back()}}});
}

void infer_dense(InferContext& op) {
  const TensorSpec& x = op.input(0);
  const TensorSpec& w = op.input(1);
  op.require(x.rank() >= 1, ErrorKind::Value,
             "the dimension of 'input' must be at least 1, but got a tensor without axes.");
  op.require(w.rank() == 1 || w.rank() == 2, ErrorKind::Value,
             "the dimension of 'weight' must be 1 or 2, but got ", w.rank(), ".");
  require_one_dtype(op, x.dtype, w.dtype);
  require_inner_sizes("Dense", x.shape.back(), x.shape, w.shape.back(), w.shape);
  Shape shape(x.shape.begin(), x.shape.end() - 1);
  if (w.rank() == 2) shape.push_back(w.shape[0]);
  if (op.has_input(2)) {
    const TensorSpec& bias = op.input(2);
    require_one_dtype(op, x.dtype, bias.dtype);
    const Shape expected = w.rank() == 2 ? Shape{w.shape[0]} : Shape{};
    op.require(bias.shape == expected, ErrorKind::Value, "the shape of 'bias' must be ", expected,
               ", but got ", bias.shape, ".");
  }
  op.set_output(0, x.dtype, shape);
}

void dense_gradient(GradientContext& op) {
  const bool vector = op.input_shape(1).size() == 1;
  Value dy = op.output_gradient(0);
  if (vector) dy = op.call("expand_dims", {dy}, {{"axis", -1}});
  const Value rows = as_rows(op, dy);
  if (op.wants(0)) {
    Value w = conjugate_value(op, op.input(1));
    if (vector) w = op.call("expand_dims", {w}, {{"axis", 0}});
    const Value dx = op.call("matmul", {rows, w});
    op.set_input_gradient(0, op.call("reshape", {dx}, {{"shape", op.input_shape(0)}}));
  }
  if (op.wants(1)) {
    const Value x = conjugate_value(op, op.input(0));
    const Value x_rows =
        as_rows(op, x.rank() == 1 ? op.call("expand_dims", {x}, {{"axis", 0}}) : x);
    const Value dw = op.call("matmul", {rows, x_rows}, {{"transpose_a", true}});
    op.set_input_gradient(1,
                          vector ? op.call("reshape", {dw}, {{"shape", op.input_shape(1)}}) : dw);
  }
  if (op.has_input(2) && op.wants(2)) {
    const Value db = op.call("reduce_sum", {rows}, {{"axis", IntList{0}}, {"keep_dims", false}});
    op.set_input_gradient(2, op.call("reshape", {db}, {{"shape", op.input_shape(2)}}));
  }
}

}  // namespace

MYCEL_OP(dense)
    .names({.primitive = "Dense", .function = "dense"})
    .doc("input times the transposed weight, plus bias.")
    .numpy("np.matmul(input, weight.T) + (0 if bias is None else bias)")
    .input("input", "Any number of leading axes, then the features.", kFloating | kComplex)
    .input("weight", "(outputs, features), or (features,).", kFloating | kComplex)
    .optional_input("bias", "(outputs,).", kFloating | kComplex)
    .output("output", "Leading axes of `input`, then the outputs.")
    .infer(infer_dense)
    .gradient(dense_gradient)
    .keeps({"input", "weight"})
    .sample("with bias", {normal({3, 4}), normal({5, 4}), normal({5})})
    .sample("without bias", {normal({3, 4}), normal({5, 4}), absent()})
    .sample("more axes", {normal({2, 3, 4}), normal({5, 4}), normal({5})})
    .sample("one vector", {normal({4}), normal({5, 4}), normal({5})})
    .sample("weight vector", {normal({3, 4}), normal({4}), absent()})
    .sample("larger", {normal({60, 64}), normal({70, 64}), normal({70})})
    .sample("no rows", {normal({0, 4}), normal({5, 4}), normal({5})})
    .sample_dtypes(kFloating | kComplex);

MYCEL_CPU_KERNEL(dense) {
  const Tensor x = kernel.input(0).rank() == 2 ? kernel.input(0) : kernel.dense(0);
  const std::int64_t features = x.shape().back();
  const Tensor& w = kernel.input(1);
  const std::int64_t outputs = w.rank() == 2 ? w.shape()[0] : 1;
  const Tensor& y = kernel.output(0);
  const std::int64_t rows = outputs == 0 ? 0 : y.size() / outputs;
  const Tensor left =
      x.rank() == 2 ? x : Tensor::view(x, {rows, features}, {features, 1}, x.body().offset);
  const std::int64_t step = w.strides().back();
  const Tensor right =
      Tensor::view(w, {features, outputs}, {step, w.rank() == 2 ? w.strides()[0] : features * step},
                   w.body().offset);
  Tensor bias;
  if (kernel.has_input(2)) {
    bias = kernel.dense(2);
    if (bias.rank() == 0) bias = Tensor::view(bias, {1}, {1}, bias.body().offset);
  }
  backend::matmul(left, right, bias,
                  Tensor::view(y, {rows, outputs}, {outputs, 1}, y.body().offset));
}

MYCEL_WRITES_MINDIR(dense) {
  const auto x = call.typed(0);
  auto weight = call.typed(1);
  const auto bias = call.typed(2);
  const std::int64_t width = x.size(x.rank() - 1);
  const std::int64_t rows = element_count(Shape(x.shape().begin(), x.shape().end() - 1));
  if (weight.rank() < 2) weight = weight.reshape({1, width});
  auto made = x.reshape({rows, width})
                  .add("MatMul", {weight}, {.shape = Shape{rows, weight.size(0)}},
                       {{"transpose_a", false}, {"transpose_b", true}});
  if (bias.defined()) {
    const bool is_vector = bias.shape() == Shape{weight.size(0)};
    made = is_vector ? made.add("BiasAdd", {bias}, {.shape = made.shape()}, {{"format", "NCHW"}})
                     : made + bias;
  }
  return made.reshape(call.shape());
}

MYCEL_WRITES_ONNX(dense) {
  const auto x = call.typed(0);
  const auto weight = call.typed(1);
  const auto bias = call.typed(2);
  if (call.rank_of(0) == 2 && call.rank_of(1) == 2)
    return x.add("Gemm", {weight, bias}, {{"transB", 1}});
  const auto product = x.add("MatMul", {call.rank_of(1) == 2 ? swapped(weight, 2) : weight});
  return bias.defined() ? product + bias : product;
}

}  // namespace mycel::ops
