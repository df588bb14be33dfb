// SPDX-License-Identifier: Apache-2.0
// What rules for writing losses over classes to ONNX files share.
#pragma once

#include "operator/onnx_call.h"

namespace mycel::ops {

// The class of each position, and which of them are passed over.
struct OnnxLabels {
  op::onnx::Symbol classes;     // 0 for those
  op::onnx::Symbol is_ignored;  // undefined if no label can be

  OnnxLabels(const op::onnx::Call& call, std::size_t operand)
      : classes(call.input(operand, tensor::DType::Int64)) {
    if (call.is_none("ignore_index")) return;
    is_ignored = classes.equals(call.attribute("ignore_index"));
    classes = is_ignored.where(0, classes);
  }

  // The values, 0 where ignored.
  op::onnx::Symbol counted(const op::onnx::Symbol& values) const {
    return is_ignored.defined() ? is_ignored.where(0, values) : values;
  }
  // Of (N, C, …) the value of the labelled class; 0 where ignored.
  op::onnx::Symbol picked(const op::onnx::Symbol& scores) const {
    const auto places = classes.unsqueeze({1});
    return counted(scores.add("GatherElements", {places}, {{"axis", 1}}).squeeze({1}));
  }
};

}  // namespace mycel::ops
