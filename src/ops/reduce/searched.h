// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tensor/dtype.h"

namespace mycel::ops {

// What is searched for extremes by a rule for writing; masks as numbers.
template <class Call>
auto searched(const Call& call) {
  return call.dtype_of(0) == tensor::DType::Bool ? call.input(0, tensor::DType::Int32)
                                                 : call.input();
}

}  // namespace mycel::ops
