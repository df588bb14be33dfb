// SPDX-License-Identifier: Apache-2.0
// What the turns of a loop, or a side of a decision, leave for its gradient.
#include "operator/define.h"
#include "operator/everywhere.h"
#include "operator/turn_log.h"
#include "ops/shape/fill_value.h"

namespace mycel::ops {
namespace {

void require_log(const InferContext& op) {
  const TensorSpec log = TurnLog::type();
  op.require(op.input(0).dtype == log.dtype && op.input(0).shape == log.shape, ErrorKind::Internal,
             "the first input must be what a loop has kept");
}

}  // namespace

MYCEL_OP(turn_count)
    .internal()
    .doc("How many turns a loop has made.")
    .input("log", "What it has kept.")
    .output("output", "A whole number.")
    .infer([](InferContext& op) {
      require_log(op);
      op.set_output(0, DType::Int64, {});
    })
    .not_differentiable();

MYCEL_KERNEL_EVERYWHERE(turn_count) {
  const Tensor count = Tensor::empty({}, DType::Int64);
  *count.data<std::int64_t>() = TurnLog::at(kernel.input(0)).turns();
  copy_elements(count, kernel.output(0));
}

// It has no kernel: whoever runs a program makes the log, and answers for it being there.
MYCEL_OP(kept_row)
    .internal()
    .doc("Keeps values as the only row of a log.")
    .variadic_input("values", "What is kept.")
    .output("log", "Where the log lies.")
    .infer([](InferContext& op) {
      const TensorSpec log = TurnLog::type();
      op.set_output(0, log.dtype, log.shape);
    })
    .not_differentiable();

MYCEL_OP(kept_value)
    .internal()
    .doc("A value that a turn of a loop has kept.")
    .input("log", "What the loop has kept.")
    .input("turn", "Which turn, from 0 on.", kIntegral)
    .optional_input("initial", "Stands for the value in the turn before the first.")
    .attribute("column", "Which of the values.", required(AttributeType::Int))
    .attribute("shape", "Its shape.", required(AttributeType::Ints))
    .attribute("dtype", "Its element type.", required(AttributeType::DType))
    .output("output", "The value.")
    .infer([](InferContext& op) {
      require_log(op);
      op.set_output(0, op.dtype("dtype"), checked_shape(op, "shape"));
    })
    .not_differentiable();

MYCEL_KERNEL_EVERYWHERE(kept_value) {
  const std::int64_t turn = kernel.input(1).as_int();
  const Tensor& output = kernel.output(0);
  if (turn < 0 && kernel.has_input(2))
    copy_elements(kernel.input(2), output);
  else
    TurnLog::at(kernel.input(0))
        .read(turn, static_cast<std::size_t>(kernel.integer("column")), output);
}

}  // namespace mycel::ops
