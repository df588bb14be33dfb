// SPDX-License-Identifier: Apache-2.0
// What rules for writing losses over classes share.
#pragma once

#include "operator/mindir_call.h"
#include "ops/shape/mindir_windows.h"

namespace mycel::ops {

// Which labels count.
inline op::mindir::Symbol counting(const op::mindir::Call& call, const op::mindir::Symbol& labels) {
  if (call.is_none("ignore_index")) return labels.equals(labels);
  return labels.add("NotEqual", {call.attribute("ignore_index")});
}

// (N, C, …): whether a class is the label of a position that counts.
inline op::mindir::Symbol chosen_classes(const op::mindir::Call& call, std::int64_t classes,
                                         std::int64_t rank) {
  const auto labels = call.input(1);
  const auto counts = counting(call, labels);
  const tensor::Shape spread = joint({{labels.size(0), 1}, cut(labels.shape(), 1, labels.rank())});
  tensor::Shape of_numbers(static_cast<std::size_t>(rank), 1);
  of_numbers[1] = classes;
  const auto numbers = labels.table(op::mindir::Table::positions(classes).shaped(of_numbers));
  const auto is_label = labels.reshape(spread).equals(numbers);
  return is_label.add("LogicalAnd", {counts.reshape(spread)});
}

}  // namespace mycel::ops
