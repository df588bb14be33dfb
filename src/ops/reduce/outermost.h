// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <limits>
#include <type_traits>

#include "tensor/half.h"

namespace mycel::ops {

// The largest finite number of a type, or the lowest.
template <class T>
T outermost(bool largest) {
  if constexpr (std::is_same_v<T, bool>) {
    return largest;
  } else if constexpr (std::is_same_v<T, tensor::Float16>) {
    return tensor::Float16(largest ? 65504.0F : -65504.0F);
  } else if constexpr (std::is_same_v<T, tensor::BFloat16>) {
    return tensor::BFloat16(largest ? 0x1.fep127F : -0x1.fep127F);
  } else {
    return largest ? std::numeric_limits<T>::max() : std::numeric_limits<T>::lowest();
  }
}

}  // namespace mycel::ops
