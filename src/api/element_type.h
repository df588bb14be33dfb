// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>

#include "include/api/data_type.h"
#include "tensor/dtype.h"

namespace mycel::api {

// The same type in the other world; nothing: no tensor of ours has such elements.
std::optional<tensor::DType> element_type(mindspore::DataType type);
mindspore::DataType element_type(tensor::DType dtype);
// Bytes of an element, 1 for strings; 0: of no type we know.
std::size_t element_bytes(mindspore::DataType type);

}  // namespace mycel::api
