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
void dispatch(const op::OpDef& definition, std::span<Tensor> inputs,
              std::span<op::AttributeValue> attributes, std::vector<Tensor>& outputs);

// The common case of one result.
Tensor dispatch_one(const op::OpDef& definition, std::span<Tensor> inputs,
                    std::span<op::AttributeValue> attributes);

// Where this thread's operators without tensor inputs (fill, arange, random ones) put their result:
// inside a composite or a gradient rule the device of the tensors at hand, elsewhere the host.
class CreationDevice {
 public:
  explicit CreationDevice(device::Device device);
  ~CreationDevice();
  CreationDevice(const CreationDevice&) = delete;
  CreationDevice& operator=(const CreationDevice&) = delete;

 private:
  device::Device before_;
};

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
