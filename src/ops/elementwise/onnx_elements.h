// SPDX-License-Identifier: Apache-2.0
// What rules for writing ONNX files share that look at one element of each operand.
#pragma once

#include "operator/onnx_call.h"

namespace mycel::ops {

// Rounded toward zero.
inline op::onnx::Symbol truncated(const op::onnx::Symbol& x) {
  const auto sign = x.add("Sign");
  return sign * x.add("Abs").add("Floor");
}

inline op::onnx::Symbol is_nan(const op::onnx::Symbol& x) { return x.add("IsNaN"); }

inline op::onnx::Symbol is_infinite(const op::onnx::Symbol& x, bool up = true, bool down = true) {
  return x.add("IsInf", {}, {{"detect_positive", up}, {"detect_negative", down}});
}

}  // namespace mycel::ops
