// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "operator/attribute.h"
#include "tensor/shape.h"

namespace mycel::eager {

// One part of a basic index, as Python gives it.
struct IndexPart {
  enum class Kind : std::uint8_t { Integer, Slice, NewAxis, Ellipsis };
  Kind kind = Kind::Integer;
  // An integer is `start`; of a slice all three, with Python's values for what was left out.
  std::int64_t start = 0;
  std::int64_t stop = 0;
  std::int64_t step = 1;
};

// The attributes of `index_view` and its kin for an index into a tensor of this shape: begin,
// length and step by axis, then which axes the result has.
op::AttributeList window_attributes(const tensor::Shape& shape, std::span<const IndexPart> index);

}  // namespace mycel::eager
