// SPDX-License-Identifier: Apache-2.0
// What rules for writing recurrent layers to ONNX files share. Our operators begin after the
// product of input and weight; ONNX has it inside. Where a dense layer computed what an operator
// takes, its weight goes into the node; otherwise an identity does.
#pragma once

#include <optional>
#include <vector>

#include "operator/onnx_call.h"

namespace mycel::ops {

// Which operands of a recurrent layer are what.
struct ScanOperands {
  std::size_t hidden = 1, weight = 2, lengths = 3;
  std::optional<std::size_t> cell = {}, bias = {};
};

// What a node gives.
struct WrittenScan {
  op::onnx::Symbol hidden;               // states of all steps, as our operators have them
  std::vector<op::onnx::Symbol> states;  // after the last step, as ONNX has them
};

// A node of this kind; `gates`: our gates in the order of ONNX.
WrittenScan written_scan(const op::onnx::Call& call, std::string_view kind,
                         const tensor::IntList& gates, const ScanOperands& operands,
                         const op::onnx::NamedList& attributes);

// Whether all readers of a sequence of states take the state after the last step.
bool only_last_is_read(const op::onnx::Call& call, std::size_t output);

}  // namespace mycel::ops
