// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string_view>

#include "tensor/dtype.h"

namespace mycel::formats {

// What safetensors files call a type of elements.
std::string_view safetensors_name(tensor::DType dtype);
std::optional<tensor::DType> dtype_of_safetensors(std::string_view name);  // none: unknown

// Where arrays of the type lie in a file: the widest first, as the format's own library has it.
int safetensors_rank(tensor::DType dtype);

}  // namespace mycel::formats
