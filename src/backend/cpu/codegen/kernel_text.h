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

// Which inputs are single, as bits by number; with this one, results are written past the caches:
// output + begin must then be a multiple of 64 bytes.
constexpr std::uint32_t kStreams = 1U << 31U;

struct KernelText {
  std::string text;    // empty: something in the formula has no vector form
  std::string symbol;  // name of the function in it, made from the rest of the text
};

// Nothing when the result would be single as well, or is a mask that would be streamed.
KernelText kernel_text(const op::ScalarProgram& program, VectorShape shape, std::uint32_t singles);

std::uint64_t content_hash(std::string_view bytes);

}  // namespace mycel::cpu::codegen
