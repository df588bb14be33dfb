// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "tensor/dtype.h"

namespace mycel::formats {

// What safetensors files call a type of elements.
std::string_view safetensors_name(tensor::DType dtype);
std::optional<tensor::DType> dtype_of_safetensors(std::string_view name);  // none: unknown

// Where arrays of the type lie in a file: the widest first, as the format's own library has it.
int safetensors_rank(tensor::DType dtype);

// An array without axes in the checksum of other writers: a whole number counts as that many zero
// bytes; none: it counts as what it is, as everything else.
std::optional<std::uint64_t> zeros_counted(tensor::DType dtype, std::string_view content);

}  // namespace mycel::formats
