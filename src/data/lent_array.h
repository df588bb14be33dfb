// SPDX-License-Identifier: Apache-2.0
// Arrays over memory of somebody else's that is never written: pages of the row cache.
#pragma once

#include <memory>

#include "data/item.h"
#include "platform/file/file.h"

namespace mycel::data {

// The bytes as an array, without a copy; `owner` keeps them. Steps of a pipeline only read what
// they get, so it may go through them like any other. Where values leave the pipeline, own_array()
// is asked for.
Tensor lent_array(platform::Bytes bytes, DType dtype, const Shape& shape,
                  std::shared_ptr<const void> owner);

// Whether the array, or what it is a view of, is lent.
bool is_lent(const Tensor& array);

// The array, or a copy when it is lent: whoever gets it may write into it.
Tensor own_array(const Tensor& array);

}  // namespace mycel::data
