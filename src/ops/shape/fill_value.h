// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "operator/define.h"

namespace mycel::ops {

// Sets every element of a dense tensor on the host to a number (int, float or bool).
void fill_tensor(const Tensor& target, const AttributeValue& value);

// The dtype a Python number has by itself: bool, int64 or float32.
DType dtype_of_number(const AttributeValue& value);

// Lengths that make a shape, none negative.
Shape checked_shape(const AttributeReader& op, std::string_view attribute);

}  // namespace mycel::ops
