// SPDX-License-Identifier: Apache-2.0
// A dense tensor seen along one axis.
#pragma once

#include "tensor/tensor.h"

namespace mycel::ops {

struct AxisLines {
  std::int64_t outer = 1;   // product of the lengths before the axis
  std::int64_t length = 1;  // of the axis
  std::int64_t inner = 1;   // product of the lengths after it; also the stride along it

  AxisLines(const tensor::Shape& shape, std::int64_t axis) {
    for (std::size_t i = 0; i < shape.size(); ++i) {
      const auto at = static_cast<std::int64_t>(i);
      (at < axis ? outer : at > axis ? inner : length) *= shape[i];
    }
  }
};

}  // namespace mycel::ops
