// SPDX-License-Identifier: Apache-2.0
// What rules for writing share that find or write elements by index.
#pragma once

#include "operator/mindir_call.h"
#include "ops/index/from_zero.h"
#include "ops/shape/mindir_windows.h"

namespace mycel::ops {

inline op::mindir::Symbol scattered(const op::mindir::Symbol& table,
                                    const op::mindir::Symbol& tuples,
                                    const op::mindir::Symbol& updates, bool adds) {
  return table.add(adds ? "TensorScatterAdd" : "TensorScatterUpdate", {tuples, updates},
                   {.shape = table.shape()});
}

// Writes at one index per element; the indices of the other axes are the element's own.
inline op::mindir::Symbol written_along(const op::mindir::Symbol& table,
                                        const op::mindir::Symbol& places,
                                        const op::mindir::Symbol& updates, std::int64_t axis,
                                        bool adds) {
  const tensor::Shape& shape = places.shape();
  std::vector<op::mindir::Symbol> parts;
  for (std::int64_t i = 0; i < places.rank(); ++i) {
    if (i == axis) {
      parts.push_back(from_zero(places, table.size(axis)));
      continue;
    }
    tensor::IntList strides(shape.size(), 0);
    strides[static_cast<std::size_t>(i)] = 1;
    parts.push_back(places.table(strided_places(shape, strides, 0).shaped(shape)));
  }
  const auto tuples = joined("Stack", parts, joint({shape, {places.rank()}}), places.rank());
  return scattered(table, tuples, updates, adds);
}

}  // namespace mycel::ops
