// SPDX-License-Identifier: Apache-2.0
// What rules for writing products of matrices share.
#pragma once

#include "operator/onnx_call.h"
#include "ops/shape/axis_lists.h"

namespace mycel::ops {

// With the last two axes exchanged.
inline op::onnx::Symbol swapped(const op::onnx::Symbol& x, std::int64_t rank) {
  return x.transpose(joint({counted(0, rank - 2), {rank - 1, rank - 2}}));
}

}  // namespace mycel::ops
