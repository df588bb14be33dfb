// SPDX-License-Identifier: Apache-2.0
// What of a node is a number that formulas can hold.
#pragma once

#include <optional>

#include "ir/graph.h"

namespace mycel::ir {

// A Python number that was there when the graph was made; nothing: it is read when the program
// runs. Only as a double does it say what it said: larger integers have more digits.
std::optional<double> constant_number(Output operand);

// As formulas read attributes: None is 0, a truth value 0 or 1.
double attribute_number(const op::AttributeValue& value);

}  // namespace mycel::ir
