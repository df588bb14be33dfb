// SPDX-License-Identifier: Apache-2.0
// Gradients of operators that replace: where places repeat, only the last row stays.
#pragma once

#include "operator/contexts.h"

namespace mycel::ops {

// `rows`, gathered gradients, with zeros where a later row went to the same place. `put` writes
// rows into a table of the given shape as the operator does, `take` reads them back.
template <class Put, class Take>
op::Value only_last(op::GradientContext& op, const op::Value& rows, const tensor::Shape& table,
                    const Put& put, const Take& take) {
  const std::int64_t count = tensor::element_count(rows.shape());
  if (count < 2) return rows;
  const auto numbers_type = tensor::DType::Int64;
  const op::Value row =
      op.call("arange", {}, {{"start", 0}, {"end", count}, {"step", 1}, {"dtype", numbers_type}});
  const op::Value numbers = op.call("reshape", {row}, {{"shape", rows.shape()}});
  const op::Value empty =
      op.call("fill", {}, {{"shape", table}, {"value", 0}, {"dtype", numbers_type}});
  const op::Value stays = op.call("equal", {take(put(empty, numbers)), numbers});
  return op.call("where", {stays, rows, op.call("zeros_like", {rows})});
}

}  // namespace mycel::ops
