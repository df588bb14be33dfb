// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <span>

#include "runtime/frame.h"

namespace mycel::runtime {

inline bool is_elementwise(const Instruction& instruction) {
  if (instruction.kind == Instruction::Kind::Single) return true;
  return instruction.kind == Instruction::Kind::Kernel &&
         instruction.node->definition()->is_elementwise();
}

// Whether there are inputs that results may be written over.
inline bool overwrites(const Instruction& instruction) {
  return is_elementwise(instruction) ||
         (instruction.kind == Instruction::Kind::Fused && !instruction.fused->needs_nodes);
}

// Whether this result is written over this input element by element.
inline bool may_overwrite(const Instruction& instruction, std::size_t input, std::size_t result) {
  return instruction.kind != Instruction::Kind::Fused ||
         op::may_overwrite(instruction.fused->program, input, result);
}

// May an elementwise operator write its result where this input lies? Only if it reads every
// element in the order in which it writes them, and no other input lies there.
inline bool can_overwrite(std::span<const Tensor> inputs, const Tensor& input,
                          const Tensor& output) {
  const auto readers = std::count_if(inputs.begin(), inputs.end(), [&](const Tensor& other) {
    return other.defined() && &other.storage() == &input.storage();
  });
  return readers == 1 && input.shape() == output.shape() && input.is_contiguous() &&
         input.body().offset == 0 &&
         tensor::size_of(input.dtype()) == tensor::size_of(output.dtype());
}

}  // namespace mycel::runtime
