// SPDX-License-Identifier: Apache-2.0
// Writing into an existing tensor. Its type never changes: the value is converted when that loses
// nothing of its kind, and refused otherwise. Gradients do not pass: what is read afterwards counts
// as the variable itself.
#include "backend/cpu/convert.h"
#include "backend/cpu/scalar_executor.h"
#include "operator/define.h"
#include "operator/mindir_call.h"

namespace mycel::ops {
namespace {

void infer_assignment(InferContext& op) {
  const TensorSpec& variable = op.input(0);
  const TensorSpec& value = op.input(1);
  const DType common = value.is_number ? promote_with_number(variable.dtype, value.dtype)
                                       : promote(variable.dtype, value.dtype);
  op.require(common == variable.dtype, ErrorKind::Type,
             "data type conversion of 'Parameter' is not supported: the value of type ",
             value.dtype, " cannot be written into a variable of type ", variable.dtype, ".");
  const bool fits = value.shape == variable.shape || element_count(value.shape) == 1;
  op.require(fits, ErrorKind::Value, "'value' must have the shape ", variable.shape,
             " of 'variable', but got ", value.shape, ".");
  op.set_output(0, variable.dtype, variable.shape);
}

void run_update(KernelContext& kernel, std::string_view operation) {
  const OpDef& definition = find(operation);
  const DType type = kernel.output(0).dtype();
  cpu::run_program(cpu::bound_program(definition, type), kernel.inputs(), {}, kernel.output(0));
}

}  // namespace

MYCEL_OP(assign)
    .names({.primitive = "Assign", .function = "assign"})
    .doc("Writes `value` into `variable`.")
    .input("variable", "Tensor that is written.")
    .input("value", "New content, of the same shape.")
    .in_place_output("output", "`variable`.", 0)
    .infer(infer_assignment)
    .not_differentiable()
    .sample("same shape", {normal({2, 3}), normal({2, 3})})
    .sample("number", {normal({2, 3}), number(2)})
    .numpy("value + np.zeros_like(variable)")
    .sample_dtypes(kReal);

MYCEL_CPU_KERNEL(assign) {
  const Tensor& value = kernel.input(1);
  const Tensor& variable = kernel.output(0);
  const Strides strides =
      element_count(value.shape()) == 1 ? Strides(variable.shape().size(), 0) : value.strides();
  cpu::convert_elements(Tensor::view(value, variable.shape(), strides, value.body().offset),
                        variable);
}

MYCEL_OP(assign_add)
    .names({.primitive = "AssignAdd", .function = "assign_add"})
    .doc("Adds `value` to `variable` in place.")
    .input("variable", "Tensor that is written.")
    .input("value", "What is added, of the same shape.")
    .in_place_output("output", "`variable`.", 0)
    .infer(infer_assignment)
    .not_differentiable()
    .sample("same shape", {normal({2, 3}), normal({2, 3})})
    .sample("number", {normal({2, 3}), number(2)})
    .numpy("variable + value")
    .sample_dtypes(kReal);

MYCEL_CPU_KERNEL(assign_add) { run_update(kernel, "add"); }

MYCEL_OP(assign_sub)
    .names({.primitive = "AssignSub", .function = "assign_sub"})
    .doc("Subtracts `value` from `variable` in place.")
    .input("variable", "Tensor that is written.")
    .input("value", "What is subtracted, of the same shape.")
    .in_place_output("output", "`variable`.", 0)
    .infer(infer_assignment)
    .not_differentiable()
    .sample("same shape", {normal({2, 3}), normal({2, 3})})
    .sample("number", {normal({2, 3}), number(2)})
    .numpy("variable - value")
    .sample_dtypes(kReal);

MYCEL_CPU_KERNEL(assign_sub) { run_update(kernel, "sub"); }

// Who writes the file stores the value.
MYCEL_WRITES_MINDIR(assign) {
  const auto x = call.typed(0);
  return call.typed(1).broadcast(x.shape());
}

MYCEL_WRITES_MINDIR(assign_add) {
  const auto x = call.typed(0);
  return x + call.typed(1);
}

MYCEL_WRITES_MINDIR(assign_sub) {
  const auto x = call.typed(0);
  return x - call.typed(1);
}

}  // namespace mycel::ops
