// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "backend/cpu/bound_program.h"
#include "operator/contexts.h"

namespace mycel::cpu {

// Runs an elementwise operator from its scalar expression: inputs of any dtype and strides,
// stretched to the output's shape, converted on the way in and out.
void run_elementwise(op::KernelContext& kernel);

// The same for a program that belongs to no definition. Attributes are read as numbers.
void run_program(const BoundProgram& program, std::span<const tensor::Tensor> inputs,
                 std::span<const op::AttributeValue> attributes, const tensor::Tensor& output);

}  // namespace mycel::cpu
