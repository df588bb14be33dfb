// SPDX-License-Identifier: Apache-2.0
#include "backend/cpu/number.h"
#include "operator/define.h"
#include "ops/elementwise/mindir_elements.h"

namespace mycel::ops {

MYCEL_OP(complex)
    .names({.primitive = "Complex"})
    .doc("Complex numbers from real and imaginary parts.")
    .input("real", "Real parts.", kFloating)
    .input("imag", "Imaginary parts, of the same type.", kFloating)
    .output("output", "complex64, or complex128 from float64.")
    .infer([](InferContext& op) {
      op.require_same_dtype(0, 1);
      const Shape shape = broadcast_shapes(op.input(0).shape, op.input(1).shape, op.name());
      const bool wide = op.input(0).dtype == DType::Float64;
      op.set_output(0, wide ? DType::Complex128 : DType::Complex64, shape);
    })
    .gradient([](GradientContext& op) {
      const Value gradient = op.output_gradient(0);
      op.set_input_gradient(0, sum_to(op.call("real", {gradient}), op.input_specs[0]));
      op.set_input_gradient(1, sum_to(op.call("imag", {gradient}), op.input_specs[1]));
    })
    .numpy("real + 1j * imag")
    .sample("same shape", {normal({2, 3}), normal({2, 3})})
    .sample("stretched", {normal({2, 1}), normal({3})});

MYCEL_CPU_KERNEL(complex) {
  const Tensor& output = kernel.output(0);
  const DType part_type = real_type_of(output.dtype());
  const auto part_bytes = size_of(part_type);
  for (std::size_t part = 0; part < 2; ++part) {
    const Tensor& input = kernel.input(part);
    const Strides strides = broadcast_strides(input.shape(), input.strides(), output.shape());
    const Tensor dense =
        contiguous(Tensor::view(input, output.shape(), strides, input.body().offset));
    cpu::conversion(input.dtype(), part_type)(
        dense.raw(), 1, output.data<char>() + part * part_bytes, 2, output.size());
  }
}

MYCEL_WRITES_MINDIR(complex) { return stretched(call, "Complex"); }

}  // namespace mycel::ops
