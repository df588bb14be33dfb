// SPDX-License-Identifier: Apache-2.0
// How the buffer protocol, and NumPy with it, calls types of elements.
#pragma once

#include <string_view>

#include "tensor/dtype.h"

namespace mycel::tensor {

// TypeError for what no tensor has; null stands for bytes.
DType dtype_of_format(const char* format);
// TypeError for types that the protocol does not know.
const char* format_of(DType dtype);

}  // namespace mycel::tensor
