// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "operator/op_def.h"
#include "operator/value.h"

namespace mycel::eager {

using tensor::Tensor;

// Sees every operator call of a thread after inference and before the kernel, and may keep it for
// later: that is how a graph is captured.
class Interceptor {
 public:
  // True: `outputs` holds tensors that stand for the results, no kernel has to run. Inputs have
  // been promoted, attributes are in their plain form. `specs` is empty for operators whose kernel
  // decides the shapes.
  virtual bool take(const op::OpDef& definition, std::span<Tensor> inputs,
                    std::span<op::AttributeValue> attributes, std::span<const op::TensorSpec> specs,
                    std::vector<Tensor>& outputs) = 0;

 protected:
  ~Interceptor() = default;
};

Interceptor* interceptor();  // of this thread; null: calls are executed
void set_interceptor(Interceptor* interceptor);

}  // namespace mycel::eager
