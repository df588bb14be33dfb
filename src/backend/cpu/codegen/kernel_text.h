// SPDX-License-Identifier: Apache-2.0
// A scalar program written out as one loop over vectors: every value of the formula stays in a
// register.
#pragma once

#include <cstdint>
#include <string>

#include "backend/cpu/codegen/vector_math.h"
#include "operator/scalar_expr.h"

namespace mycel::cpu::codegen {

// Elements [begin, end). Inputs by number of the operator's input, dense or single as the kernel
// was made for; masks are bytes. Attributes lie 16 bytes apart, in the order the program names
// them.
using Kernel = void (*)(const void* const* inputs, const void* attributes, void* output,
                        std::int64_t begin, std::int64_t end);

struct KernelText {
  std::string text;    // empty: something in the formula has no vector form
  std::string symbol;  // name of the function in it, made from the rest of the text
};

// `singles`: bit per input that is one element. Nothing when the result would be one as well.
KernelText kernel_text(const op::ScalarProgram& program, VectorShape shape, std::uint32_t singles);

std::uint64_t content_hash(std::string_view bytes);

}  // namespace mycel::cpu::codegen
