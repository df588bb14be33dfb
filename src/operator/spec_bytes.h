// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "operator/value.h"

namespace mycel::op {

// What a dense tensor of a type takes.
inline std::size_t bytes_of(const TensorSpec& spec) {
  return static_cast<std::size_t>(tensor::element_count(spec.shape)) * tensor::size_of(spec.dtype);
}

}  // namespace mycel::op
