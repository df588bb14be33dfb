// SPDX-License-Identifier: Apache-2.0
// Reading what the turns of a loop have left for its gradient.
#include <cstring>

#include "operator/define.h"
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

MYCEL_CPU_KERNEL(turn_count) {
  *kernel.output(0).data<std::int64_t>() = TurnLog::at(kernel.dense(0).raw()).turns();
}

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

MYCEL_CPU_KERNEL(kept_value) {
  const TurnLog& log = TurnLog::at(kernel.dense(0).raw());
  const std::int64_t turn = kernel.input(1).as_int();
  const Tensor& output = kernel.output(0);
  if (turn < 0 && kernel.has_input(2)) {
    copy_elements(kernel.input(2), output);
    return;
  }
  const auto column = static_cast<std::size_t>(kernel.integer("column"));
  kernel.require(log.bytes_of(column) == output.bytes(), ErrorKind::Internal, "a loop has kept ",
                 log.bytes_of(column), " bytes, not ", output.bytes());
  std::memcpy(output.raw(), log.value(turn, column), output.bytes());
}

}  // namespace mycel::ops
