// SPDX-License-Identifier: Apache-2.0
// What backward through a running product comes down to, zeros included.
#include "operator/define.h"
#include "operator/mindir_call.h"
#include "ops/reduce/axis_lines.h"
#include "ops/reduce/neighbours.h"
#include "platform/thread/parallel_for.h"

namespace mycel::ops {
namespace {

template <class T>
void run_lines(const T* x, const T* factor, T* y, const AxisLines& lines, bool reverse) {
  using Wide = Accumulator<T>;
  const std::int64_t step = reverse ? -lines.inner : lines.inner;
  const std::int64_t first = reverse ? (lines.length - 1) * lines.inner : 0;
  platform::parallel_for(
      lines.outer * lines.inner, lines.length, [=](std::int64_t begin, std::int64_t end) {
        for (std::int64_t line = begin; line < end; ++line) {
          std::int64_t at =
              line / lines.inner * lines.length * lines.inner + line % lines.inner + first;
          Wide last = static_cast<Wide>(x[at]);
          y[at] = static_cast<T>(last);
          for (std::int64_t k = 1; k < lines.length; ++k) {
            at += step;
            last = static_cast<Wide>(x[at]) + static_cast<Wide>(factor[at]) * last;
            y[at] = static_cast<T>(last);
          }
        }
      });
}

}  // namespace

MYCEL_OP(linear_recurrence)
    .doc("y[k] = input[k] + factor[k] * y[k - 1] along one axis, beginning with input[0].")
    .input("input", "What is added at each step.", kFloating | kComplex)
    .input("factor", "What the step before counts; same shape and type.", kFloating | kComplex)
    .attribute("axis", "The axis.", required(AttributeType::Int))
    .attribute("reverse", "Whether to start from the end.", false)
    .output("output", "Same shape and type.")
    .infer([](InferContext& op) {
      op.require_same_dtype(0, 1);
      op.require(op.input(0).shape == op.input(1).shape, ErrorKind::Value,
                 "both inputs must have one shape, but got ", op.input(0).shape, " and ",
                 op.input(1).shape, ".");
      op.normalize_axis("axis", op.input(0).rank());
      op.set_output(0, op.input(0));
    })
    .gradient([](GradientContext& op) {
      const std::int64_t axis = op.integer("axis");
      const bool reverse = op.flag("reverse");
      const Value next = neighbours(op, conjugated(op, op.input(1)), axis, reverse ? -1 : 1);
      const Value total = op.call("linear_recurrence", {op.output_gradient(0), next},
                                  {{"axis", axis}, {"reverse", !reverse}});
      op.set_input_gradient(0, total);
      if (!op.wants(1)) return;
      const Value before = neighbours(op, conjugated(op, op.output(0)), axis, reverse ? 1 : -1);
      op.set_input_gradient(1, total * before);
    })
    .keeps({"factor", "output"})
    .sample("last axis", {normal({3, 5}), normal({3, 5})}, {{"axis", 1}})
    .sample("backward", {normal({4, 3}), normal({4, 3})}, {{"axis", 0}, {"reverse", true}})
    .sample("no axes", {normal({}), normal({})}, {{"axis", 0}})
    .sample_dtypes(kFloating | kComplex);

MYCEL_CPU_KERNEL(linear_recurrence) {
  const Tensor x = kernel.dense(0), factor = kernel.dense(1);
  const Tensor& y = kernel.output(0);
  if (y.size() == 0) return;
  const AxisLines lines(y.shape(), kernel.integer("axis"));
  const auto run = [&]<class T>() {
    run_lines(x.data<T>(), factor.data<T>(), y.data<T>(), lines, kernel.flag("reverse"));
  };
  switch (y.dtype()) {
    case DType::Complex64: return run.operator()<std::complex<float>>();
    case DType::Complex128: return run.operator()<std::complex<double>>();
    default: return with_float_type(y.dtype(), run);
  }
}

// Step after step, as no primitive has a state.
MYCEL_WRITES_MINDIR(linear_recurrence) {
  const auto operands = call.inputs(call.dtype());
  if (call.rank() == 0) return operands[0];
  const std::int64_t axis = call.axis("axis", call.rank());
  const std::int64_t steps = operands[0].size(axis);
  const bool is_reversed = call.flag("reverse");
  std::vector<mindir::Symbol> done(static_cast<std::size_t>(steps));
  mindir::Symbol before;
  for (std::int64_t i = 0; i < steps; ++i) {
    const std::int64_t step = is_reversed ? steps - 1 - i : i;
    const mindir::Table here{{1}, {static_cast<double>(step)}};
    auto now = operands[0].take(here, axis);
    if (before.defined()) {
      const auto factor = operands[1].take(here, axis);
      now = now + factor * before;
    }
    done[static_cast<std::size_t>(step)] = before = now;
  }
  return steps > 1 ? joined("Concat", done, call.shape(), axis) : done[0];
}

}  // namespace mycel::ops
