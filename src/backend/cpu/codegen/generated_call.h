// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "backend/cpu/bound_program.h"
#include "operator/attribute.h"
#include "tensor/tensor.h"

namespace mycel::cpu::codegen {

// One step alone is left to its loop, unless the result is so large that it is better written past
// the caches; fewer elements than this never are.
constexpr std::int64_t kHugeElements = std::int64_t{1} << 20;

// Runs a call through generated code when there is some that fits: operands of the right types, and
// dense or single along rows that are not short. False: nothing was done.
bool run_generated(const BoundProgram& program, std::span<const tensor::Tensor> inputs,
                   std::span<const op::AttributeValue> attributes, const tensor::Tensor& output);

// Whether such calls compile what they lack at once instead of leaving it to the interpreter; for
// tests and measurements of one thread.
void compile_at_once(bool on);

}  // namespace mycel::cpu::codegen
