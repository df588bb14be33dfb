// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <span>
#include <string_view>

#include "operator/op_def.h"

namespace mycel::op {

// An elementwise operator on single elements, made ready once: what is left of a call is the
// arithmetic. Gives the bits that the operator gives.
class SingleCall {
 public:
  SingleCall() = default;
  SingleCall(const SingleCall&) = delete;
  SingleCall& operator=(const SingleCall&) = delete;
  virtual ~SingleCall() = default;
  virtual void run(std::span<const void* const> inputs, void* output) const = 0;
};

// How a backend makes one; null: it does not.
using SingleCallMaker = std::unique_ptr<SingleCall> (*)(const OpDef& definition,
                                                        std::span<const AttributeValue> attributes,
                                                        std::span<const tensor::Tensor> inputs,
                                                        const tensor::Tensor& output);
void set_single_call_maker(SingleCallMaker maker);  // of the host

// For tensors of one element each with these types; null: such calls are made as others are.
std::unique_ptr<SingleCall> make_single_call(const OpDef& definition,
                                             std::span<const AttributeValue> attributes,
                                             std::span<const tensor::Tensor> inputs,
                                             const tensor::Tensor& output);

}  // namespace mycel::op
