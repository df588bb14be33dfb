// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "operator/contexts.h"

namespace mycel::ops {

enum class LossReduction : std::uint8_t { None, Mean, Sum };

inline LossReduction reduction_of(const op::CompositeContext& op) {
  const std::string& text = op.text("reduction");
  op.require(text == "mean" || text == "sum" || text == "none", platform::ErrorKind::Value,
             "the 'reduction' must be in ['mean', 'sum', 'none'], but got ", text, ".");
  return text == "mean"  ? LossReduction::Mean
         : text == "sum" ? LossReduction::Sum
                         : LossReduction::None;
}

inline op::Value reduced(op::CompositeContext& op, const op::Value& loss) {
  switch (reduction_of(op)) {
    case LossReduction::None: return loss;
    case LossReduction::Mean: return op.call("reduce_mean", {loss});
    case LossReduction::Sum: return op.call("reduce_sum", {loss});
  }
  return loss;
}

}  // namespace mycel::ops
