// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tensor/tensor.h"

namespace mycel::cpu {

enum class ReduceKind : std::uint8_t { Sum, Mean, Prod, Max, Min, All, Any };

// Reduces `axes` (sorted, none negative) of any strided tensor into a dense output. Sums and
// products are kept in the output's type, 16-bit floats in float, integers in 64 bits. The order of
// additions depends on the shape alone, so that results repeat for any number of threads.
void reduce(ReduceKind kind, const tensor::Tensor& input, const tensor::IntList& axes,
            const tensor::Tensor& output);

// Mean and variance in one pass over floating-point elements; either output may be undefined. The
// divisor of the variance is the number of elements minus `correction`.
void reduce_moments(const tensor::Tensor& input, const tensor::IntList& axes, double correction,
                    const tensor::Tensor& mean, const tensor::Tensor& variance);

}  // namespace mycel::cpu
