// SPDX-License-Identifier: Apache-2.0
// What a loop over the rows of tensors reads and writes in a turn.
#include <cstring>

#include "operator/define.h"

namespace mycel::ops {
namespace {

std::size_t checked_place(const KernelContext& kernel, std::int64_t place, std::int64_t count) {
  kernel.require(place >= 0 && place < count, ErrorKind::Internal, "there are ", count,
                 " rows, and none is number ", place);
  return static_cast<std::size_t>(place);
}

}  // namespace

MYCEL_OP(row_at)
    .internal()
    .doc("A row of a tensor.")
    .input("rows", "The rows, along its first axis.")
    .input("place", "Which row, from 0 on.", kIntegral)
    .optional_input("initial", "Stands for the row before the first.")
    .output("output", "The row.")
    .infer([](InferContext& op) {
      const Shape& rows = op.input(0).shape;
      op.require(!rows.empty(), ErrorKind::Internal, "a single number has no rows");
      op.set_output(0, op.input(0).dtype, Shape(rows.begin() + 1, rows.end()));
    })
    .not_differentiable();

MYCEL_CPU_KERNEL(row_at) {
  const Tensor& output = kernel.output(0);
  const std::int64_t place = kernel.input(1).as_int();
  if (place < 0 && kernel.has_input(2)) {
    copy_elements(kernel.input(2), output);
    return;
  }
  const Tensor rows = kernel.dense(0);
  const std::size_t row = checked_place(kernel, place, rows.shape()[0]);
  std::memcpy(output.raw(), static_cast<const char*>(rows.raw()) + row * output.bytes(),
              output.bytes());
}

MYCEL_OP(row_assign)
    .internal()
    .doc("Writes a row of a tensor.")
    .input("rows", "The rows, along its first axis.")
    .input("row", "What is written.")
    .input("place", "Which row, from 0 on.", kIntegral)
    .in_place_output("output", "`rows`.", 0)
    .effects()
    .infer([](InferContext& op) {
      const Shape& rows = op.input(0).shape;
      const bool fits = !rows.empty() && op.input(0).dtype == op.input(1).dtype &&
                        Shape(rows.begin() + 1, rows.end()) == op.input(1).shape;
      op.require(fits, ErrorKind::Internal, "a row must have the type and shape of the others");
      op.set_output(0, op.input(0).dtype, rows);
    })
    .not_differentiable();

MYCEL_CPU_KERNEL(row_assign) {
  const Tensor& rows = kernel.input(0);
  const Tensor row = kernel.dense(1);
  const std::size_t place = checked_place(kernel, kernel.input(2).as_int(), rows.shape()[0]);
  std::memcpy(static_cast<char*>(rows.raw()) + place * row.bytes(), row.raw(), row.bytes());
}

}  // namespace mycel::ops
