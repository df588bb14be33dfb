// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "operator/op_def.h"
#include "operator/value.h"

namespace mycel::op {

// What an operator would give for these inputs, by inference alone: nothing is computed. Composites
// are followed through their parts. Undefined tensors stand for optional inputs left out. A result
// whose lengths depend on values (`dynamic_outputs`) has its dtype and rank only.
std::vector<TensorSpec> infer_outputs(const OpDef& definition,
                                      std::span<const tensor::Tensor> inputs,
                                      AttributeList attributes);

}  // namespace mycel::op
