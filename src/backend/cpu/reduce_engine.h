// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "operator/reduction.h"
#include "tensor/tensor.h"

namespace mycel::cpu {

using op::ReduceKind;

// Reduces `axes` (sorted, none negative) of any strided tensor into a dense output, accumulated in
// the type that `op::accumulation_type` says. The order of additions depends on the shape alone, so
// that results repeat for any number of threads.
void reduce(ReduceKind kind, const tensor::Tensor& input, const tensor::IntList& axes,
            const tensor::Tensor& output);

// Mean and variance in one pass over floating-point elements; either output may be undefined. The
// divisor of the variance is the number of elements minus `correction`.
void reduce_moments(const tensor::Tensor& input, const tensor::IntList& axes, double correction,
                    const tensor::Tensor& mean, const tensor::Tensor& variance);

}  // namespace mycel::cpu
