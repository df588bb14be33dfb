// SPDX-License-Identifier: Apache-2.0
// Tensors as JSON: elements in nested arrays, as every REST protocol writes them.
#pragma once

#include <string>

#include "platform/error/error.h"
#include "serving/batching/value.h"

namespace mycel::serving {

// Appends the elements, nested by the lengths (a scalar stands alone). Numbers read back to the
// same bits; what is not finite becomes NaN, Infinity, -Infinity, as Python's json writes and reads
// it.
void append_elements(std::string& text, const Value& value);
void append_string(std::string& text, std::string_view value);  // in quotes, escaped
float from_float16(std::uint16_t bits);
float from_bfloat16(std::uint16_t bits);

}  // namespace mycel::serving
