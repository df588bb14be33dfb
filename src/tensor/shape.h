// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "platform/inline_vector.h"

namespace mycel::tensor {

using IntList = platform::InlineVector<std::int64_t, 6>;

// Lengths of the axes. A plain list of non-negative numbers; functions below do the thinking.
using Shape = IntList;
using Strides = IntList;  // in elements, not bytes

using platform::to_string;

// Product of the lengths; throws ValueError when it does not fit 63 bits.
std::int64_t element_count(const Shape& shape);

Strides contiguous_strides(const Shape& shape);
bool is_contiguous(const Shape& shape, const Strides& strides);

// The shape both operands are stretched to. Empty optional-style contract: throws ValueError with
// both shapes when they do not fit; `op` names the operator in the message.
Shape broadcast_shapes(const Shape& a, const Shape& b, std::string_view op);

// Strides that read a tensor of `shape` as if it had shape `target` (stride 0 where stretched).
Strides broadcast_strides(const Shape& shape, const Strides& strides, const Shape& target);

// Axis in [-rank, rank) made non-negative; ValueError naming the operator otherwise.
std::int64_t normalize_axis(std::int64_t axis, std::int64_t rank, std::string_view op,
                            std::string_view argument = "axis");

}  // namespace mycel::tensor
