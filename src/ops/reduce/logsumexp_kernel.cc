// SPDX-License-Identifier: Apache-2.0
#include "backend/cpu/scalar_executor.h"
#include "operator/mindir_call.h"
#include "ops/reduce/reduction.h"

namespace mycel::ops {
namespace {

// An infinite maximum would turn differences into NaN; zero leaves the infinity to exp and log.
Expr finite_or_zero(Expr m) { return select(apply(ScalarOp::IsFinite, m), m, 0); }

void run(std::string_view name, const Tensor& a, const Tensor& b, const Tensor& output) {
  const Tensor inputs[] = {a, b};
  const OpDef& definition = find(name);
  cpu::run_program(cpu::bound_program(definition, output.dtype()), inputs, {}, output);
}

}  // namespace

MYCEL_OP(exp_shifted)
    .doc("exp(x - m), with an infinite m taken as zero.")
    .input("x", "Any tensor.", kFloating)
    .input("m", "Shift.", kFloating)
    .output("output", "Elementwise result.")
    .scalar(TypeRule::Promote,
            [](Expr x, Expr m) { return apply(ScalarOp::Exp, x - finite_or_zero(m)); })
    .sample("plain", {normal({3, 4}), normal({3, 1})});

MYCEL_OP(log_shifted)
    .doc("log(x) + m, with an infinite m taken as zero.")
    .input("x", "Any tensor.", kFloating)
    .input("m", "Shift.", kFloating)
    .output("output", "Elementwise result.")
    .scalar(TypeRule::Promote,
            [](Expr x, Expr m) { return apply(ScalarOp::Log, x) + finite_or_zero(m); })
    .sample("plain", {positive({3, 4}), normal({3, 1})});

MYCEL_CPU_KERNEL(logsumexp) {
  const Tensor& x = kernel.input(0);
  const IntList axes = kernel.ints("axis");
  const DType wide = is_half(x.dtype()) ? DType::Float32 : x.dtype();
  const Shape kept = reduced_shape(x.shape(), axes, true);
  const Tensor largest = Tensor::empty(kept, x.dtype());
  const Tensor powers = Tensor::empty(x.shape(), wide);
  const Tensor total = Tensor::empty(kept, wide);
  cpu::reduce(cpu::ReduceKind::Max, x, axes, largest);
  run("exp_shifted", x, largest, powers);
  cpu::reduce(cpu::ReduceKind::Sum, powers, axes, total);
  const Tensor& output = kernel.output(0);
  run("log_shifted", total, largest,
      Tensor::view(output, kept, contiguous_strides(kept), output.body().offset));
}

MYCEL_WRITES_MINDIR(exp_shifted) {
  const auto x = call.typed(0);
  return (x - call.typed(1)).add("Exp");
}

MYCEL_WRITES_MINDIR(log_shifted) {
  const auto operands = call.inputs(call.dtype());
  return operands[0].add("Log") + operands[1];
}

}  // namespace mycel::ops
