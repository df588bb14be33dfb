// SPDX-License-Identifier: Apache-2.0
// The way to blocked activations, (N, C / block, H, W, block), and back. Only passes write these
// operators.
#include "backend/cpu/blocked_layout.h"

#include "operator/define.h"

namespace mycel::ops {

MYCEL_OP(to_blocked)
    .internal()
    .doc("Lays groups of channels side by side.")
    .input("input", "(N, C, H, W).")
    .attribute("block", "Channels that lie side by side.", required(AttributeType::Int))
    .output("output", "(N, C / block, H, W, block).")
    .infer([](InferContext& op) {
      const Shape& x = op.input(0).shape;
      const std::int64_t block = op.integer("block");
      op.require(x.size() == 4 && block > 0 && x[1] % block == 0, ErrorKind::Value,
                 "the input must have four axes and channels in blocks of ", block, ", but got ", x,
                 ".");
      op.set_output(0, op.input(0).dtype, {x[0], x[1] / block, x[2], x[3], block});
    })
    .not_differentiable()
    .traits({.purpose = Purpose::IntoBlocks});
MYCEL_CPU_KERNEL(to_blocked) { backend::change_layout(kernel.dense(0), kernel.output(0)); }

MYCEL_OP(from_blocked)
    .internal()
    .doc("Gives every channel its own plane again.")
    .input("input", "(N, C / block, H, W, block).")
    .output("output", "(N, C, H, W).")
    .infer([](InferContext& op) {
      const Shape& x = op.input(0).shape;
      op.require(x.size() == 5, ErrorKind::Value, "the input must have five axes, but got ", x,
                 ".");
      op.set_output(0, op.input(0).dtype, {x[0], x[1] * x[4], x[2], x[3]});
    })
    .not_differentiable()
    .traits({.purpose = Purpose::OutOfBlocks});
MYCEL_CPU_KERNEL(from_blocked) { backend::change_layout(kernel.dense(0), kernel.output(0)); }

}  // namespace mycel::ops
