// SPDX-License-Identifier: Apache-2.0
// A scalar program made ready for one element type: operations resolved to loops, values to slots.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "backend/cpu/number.h"
#include "operator/op_def.h"
#include "tensor/dtype.h"

namespace mycel::cpu {

namespace codegen {
class GeneratedCode;
}

using Slot = std::uint16_t;
constexpr int kMaxSlots = 512;
constexpr int kBlockBytes = 4096;  // a block of elements; a few of them fit the first-level cache
constexpr int kOutputBuffer = -1;

struct BoundStep {
  const StepFunction* variants = nullptr;
  Slot args[4] = {0, 0, 0, 0};
  std::uint8_t arity = 1;
  // Operands `first_choice` and the next one may be single; those before it must be dense.
  std::uint8_t first_choice = 0;
  bool mask_operand = false;  // the operand before the choice is a mask
  Slot result = 0;
  int buffer = kOutputBuffer;
};

struct BoundInput {
  Slot slot;
  int input;
  bool is_mask;
  int buffer;
};

struct BoundConstant {
  Slot slot;
  alignas(16) char value[16];
};

struct BoundAttribute {
  Slot slot;
  int attribute;
};

struct BoundProgram {
  tensor::DType stored;  // dtype whose memory needs no conversion
  int element_bytes = 4;
  int block = 1024;  // elements
  std::vector<BoundStep> steps;
  std::vector<BoundInput> inputs;
  std::vector<BoundConstant> constants;
  std::vector<BoundAttribute> attributes;
  Slot result = 0;
  tensor::DType result_dtype;  // `stored`, or Bool for a mask
  bool is_one_step = false;    // and everything it reads is an input or a constant
  // Of the one step, for operands and result that all are 16-bit floats of this type; null: none.
  const StepFunction* half_variants = nullptr;
  tensor::DType half_dtype = tensor::DType::Float16;
  int buffer_count = 0;
  int spare_buffer = 0;
  int cost = 1;  // of one element, in units of an addition
  // Where compiled code for the whole formula is asked for; null: none is made for its type, or a
  // loop of its own computes it.
  std::shared_ptr<codegen::GeneratedCode> code;
};

// TypeError through `op_name` when an operation does not exist for the type.
std::unique_ptr<const BoundProgram> bind(const op::ScalarProgram& program,
                                         tensor::DType compute_type, std::string_view op_name);

// The same, remembered for definitions, which live as long as the process.
const BoundProgram& bound_program(const op::OpDef& definition, tensor::DType compute_type);

}  // namespace mycel::cpu
