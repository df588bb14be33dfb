// SPDX-License-Identifier: Apache-2.0
#include "operator/single_call.h"

#include <algorithm>
#include <atomic>
#include <cstring>

namespace mycel::op {

namespace {

std::atomic<SingleCallMaker>& maker() {
  static std::atomic<SingleCallMaker> function = nullptr;
  return function;
}

bool is_single(const tensor::Tensor& tensor) { return tensor.defined() && tensor.size() == 1; }

}  // namespace

SingleCalls::Place SingleCalls::constant(std::span<const char> value) {
  constants_.emplace_back();
  std::memcpy(constants_.back().bytes.data(), value.data(), value.size());
  return add(PlaceKind::Constant, constants_.size() - 1);
}

SingleCalls::Place SingleCalls::room(std::size_t index) {
  rooms_ = std::max(rooms_, index + 1);
  return add(PlaceKind::Room, index);
}

void set_single_call_maker(SingleCallMaker function) { maker() = function; }

SingleCalls::Calls add_single_call(const SingleCall& call, SingleCalls& calls) {
  const SingleCallMaker function = maker();
  const OpDef& definition = call.definition;
  const bool fits = function != nullptr && definition.is_elementwise() && !definition.has_effects &&
                    !definition.is_random && definition.kernels[device::kHostBackend].empty() &&
                    is_single(call.output) &&
                    std::all_of(call.inputs.begin(), call.inputs.end(), is_single);
  const std::uint32_t first = calls.step_count();
  if (fits) function(call, calls);
  return {first, calls.step_count()};
}

}  // namespace mycel::op
