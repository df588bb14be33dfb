// SPDX-License-Identifier: Apache-2.0
// What rules for writing share that move elements without computing.
#pragma once

#include <utility>
#include <vector>

#include "operator/mindir_call.h"
#include "ops/shape/axis_lists.h"

namespace mycel::ops {

// Positions begin, begin + step, … of every axis; an axis read backwards is turned first.
op::mindir::Symbol window(const op::mindir::Symbol& x, tensor::IntList begin,
                          const tensor::IntList& length, tensor::IntList step);

using Rims = std::vector<std::pair<std::int64_t, std::int64_t>>;

// With a number in front of and behind every axis.
op::mindir::Symbol padded(const op::mindir::Symbol& x, const Rims& rims,
                          const op::mindir::Operand& value = 0);

}  // namespace mycel::ops
