// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>

#include "operator/op_def.h"

namespace mycel::op {

// The input that output i of a call is, written in place; -1: a tensor of its own. A variadic
// output stands for the tensors of a variadic input, from its first one on.
inline int written_input(const OpDef& definition, std::size_t i) {
  if (definition.outputs.empty()) return -1;
  const std::size_t last = definition.outputs.size() - 1;
  const OutputDef& output = definition.outputs[std::min(i, last)];
  if (output.alias_of < 0 || (i > last && !output.variadic)) return -1;
  return output.alias_of + static_cast<int>(i > last ? i - last : 0);
}

}  // namespace mycel::op
