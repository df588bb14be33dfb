// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "operator/attribute.h"

namespace mycel::ops {

// Top, bottom, left and right as ONNX wants them: all beginnings, then all ends.
inline op::IntList onnx_pads(const op::IntList& pad) { return {pad[0], pad[2], pad[1], pad[3]}; }

}  // namespace mycel::ops
