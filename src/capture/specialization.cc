// SPDX-License-Identifier: Apache-2.0
#include "capture/specialization.h"

#include <algorithm>

namespace mycel::capture {

void Specialization::refuse(std::string reason) {
  ways = nullptr;
  refusal = std::move(reason);
}

bool Specialization::holds() const {
  if (base && !base->holds()) return false;
  if (device::leaves_host() && !(device == device::current_device())) return false;
  for (const auto& guard : guards) {
    if (!guard->holds()) return false;
  }
  for (const ParameterLayout& layout : parameters) {
    const Tensor& now = layout.parameter;
    if (now.dtype() != layout.dtype || !(now.shape() == layout.shape) || !now.is_contiguous())
      return false;
  }
  // Before it is asked: what changes meanwhile is a reason to ask again.
  const std::uint64_t now = change_count();
  if (verified_at.get() == now) return true;
  if (verify && !verify->holds()) return false;
  verified_at.set(now);
  return true;
}

void Specialization::take_layout(const Recorder& recorder) {
  memory.add(recorder.memory());
  for (const Tensor& parameter : recorder.parameters()) {
    const bool listed = std::any_of(parameters.begin(), parameters.end(), [&](const auto& entry) {
      return entry.parameter == parameter;
    });
    if (!listed) parameters.push_back({parameter, parameter.dtype(), parameter.shape()});
  }
}

}  // namespace mycel::capture
