// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "operator/op_def.h"
#include "tensor/tensor.h"

namespace mycel::op {

// A kernel that writes in place must not read what it has just written: the inputs, with copies of
// those that lie in memory which the operator writes. Nothing: they may be used as they are.
std::optional<std::vector<tensor::Tensor>> apart_from_written(
    const OpDef& definition, std::span<const tensor::Tensor> inputs, std::size_t outputs);

}  // namespace mycel::op
