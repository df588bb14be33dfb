// SPDX-License-Identifier: Apache-2.0
#include "backend/cpu/convert.h"
#include "operator/define.h"
#include "operator/mindir_call.h"

namespace mycel::ops {

MYCEL_OP(cast)
    .names({.primitive = "Cast", .function = "cast"})
    .doc(
        "Elements converted to another type: float to integer cuts toward zero and saturates, NaN "
        "becomes 0, complex to real drops the imaginary part, anything to bool is `!= 0`.")
    .input("input_x", "Any tensor.")
    .attribute("dtype", "Type of the result.", required(AttributeType::DType), {.in_call = true})
    .output("output", "Same shape.")
    .infer([](InferContext& op) { op.set_output(0, op.dtype("dtype"), op.input(0).shape); })
    .view([](ViewContext& op) {
      // The same type is the same memory.
      if (op.input().dtype() != op.output(0).dtype) return false;
      op.set_view(0, {op.input().shape(), op.input().strides(), op.input().body().offset});
      return true;
    })
    .gradient([](GradientContext& op) {
      const DType from = op.input_dtype(0);
      const DType to = op.dtype("dtype");
      if (is_integral(from) || from == DType::Bool || is_integral(to) || to == DType::Bool) return;
      op.set_input_gradient(0, op.call("cast", {op.output_gradient(0)}, {{"dtype", from}}));
    })
    .traits({.is_same_if_types_agree = true, .converts = true})
    .sample("to half", {normal({3, 4})}, {{"dtype", DType::Float16}})
    .sample("to double", {normal({3, 4})}, {{"dtype", DType::Float64}})
    .sample("to int", {values({5}, {1.7, -1.7, 0.5, 100, 3})}, {{"dtype", DType::Int32}})
    .sample("to bool", {values({4}, {0, 1, 2.5, -1})}, {{"dtype", DType::Bool}})
    .sample("no elements", {normal({0, 3})}, {{"dtype", DType::Int64}})
    .sample_dtypes(kAny);

MYCEL_CPU_KERNEL(cast) { cpu::convert_elements(kernel.input(0), kernel.output(0)); }

MYCEL_WRITES_MINDIR(cast) { return call.typed(); }

}  // namespace mycel::ops
