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

// Whether an input shares memory with the output but lies differently: it would be overwritten
// before it is read.
bool overlaps_badly(const tensor::Tensor& input, const tensor::Tensor& output);

// What brings an input from memory of a type to where steps read it; null: it is there.
ConvertFunction input_conversion(const BoundProgram& program, const BoundInput& input,
                                 tensor::DType held);

// The attributes a program reads, as its element type, 16 bytes apart.
void store_attributes(const BoundProgram& program, std::span<const op::AttributeValue> attributes,
                      char* target);

}  // namespace mycel::cpu
