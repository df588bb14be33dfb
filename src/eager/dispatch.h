// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <complex>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "operator/op_def.h"
#include "operator/value.h"

namespace mycel::eager {

using tensor::Tensor;

// Executes one operator now: checks, promotes, infers, allocates, runs the kernel, records.
// `inputs` may hold undefined tensors for optional ones; attributes may be normalised in place.
// It runs where its tensors are; those on the host go to the current device first, and without any
// the result is made there.
void dispatch(const op::OpDef& definition, std::span<Tensor> inputs,
              std::span<op::AttributeValue> attributes, std::vector<Tensor>& outputs);

// The common case of one result.
Tensor dispatch_one(const op::OpDef& definition, std::span<Tensor> inputs,
                    std::span<op::AttributeValue> attributes);
// The same with the attributes that the operator has when none are given.
Tensor dispatch_one(const op::OpDef& definition, std::span<Tensor> inputs);

Tensor cast_to(const Tensor& tensor, tensor::DType dtype);

// Work worth letting other threads of the program run for. Nobody may while calls are intercepted:
// whoever does that asks for the user's line.
bool is_long_work(std::span<const Tensor> inputs);

// While it lives, operators called on this thread get their floating inputs in another type, or
// again in their own; conversions and operators that write are left alone.
class ComputeTypeSwitch {
 public:
  explicit ComputeTypeSwitch(std::optional<tensor::DType> dtype);
  ~ComputeTypeSwitch();
  ComputeTypeSwitch(const ComputeTypeSwitch&) = delete;
  ComputeTypeSwitch& operator=(const ComputeTypeSwitch&) = delete;

 private:
  std::optional<tensor::DType> before_;
};

// The emitter whose values are tensors: gradient rules and composites execute through it.
op::Emitter& emitter();

// A 0-d tensor that stands for a Python number.
Tensor number_tensor(double value);
Tensor number_tensor(std::int64_t value);
Tensor number_tensor(bool value);
Tensor number_tensor(std::complex<double> value);

}  // namespace mycel::eager
