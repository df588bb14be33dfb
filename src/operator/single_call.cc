// SPDX-License-Identifier: Apache-2.0
#include "operator/single_call.h"

#include <algorithm>
#include <atomic>

namespace mycel::op {

namespace {

std::atomic<SingleCallMaker>& maker() {
  static std::atomic<SingleCallMaker> function = nullptr;
  return function;
}

}  // namespace

void set_single_call_maker(SingleCallMaker function) { maker() = function; }

std::unique_ptr<SingleCall> make_single_call(const OpDef& definition,
                                             std::span<const AttributeValue> attributes,
                                             std::span<const tensor::Tensor> inputs,
                                             const tensor::Tensor& output) {
  const SingleCallMaker function = maker();
  const auto is_single = [](const tensor::Tensor& tensor) {
    return tensor.defined() && tensor.size() == 1;
  };
  const bool fits = function != nullptr && definition.is_elementwise() && !definition.has_effects &&
                    !definition.is_random && definition.kernels[device::kHostBackend].empty() &&
                    is_single(output) && std::all_of(inputs.begin(), inputs.end(), is_single);
  return fits ? function(definition, attributes, inputs, output) : nullptr;
}

}  // namespace mycel::op
