// SPDX-License-Identifier: Apache-2.0
#include "capture/call.h"

#include <algorithm>

#include "capture/trace.h"

namespace mycel::capture {

void Call::add_tensor(const void* object, const void* type, const Tensor& tensor) {
  const auto* known = std::find_if(inputs_.begin(), inputs_.end(), [&](std::uint32_t input) {
    return arguments_[input].object == object;
  });
  Argument argument{.kind = Argument::Kind::Tensor, .object = object, .type = type};
  argument.tensor = &tensor;
  argument.number = static_cast<std::uint32_t>(known - inputs_.begin());
  argument.is_repeated = known != inputs_.end();
  if (!argument.is_repeated) inputs_.push_back(static_cast<std::uint32_t>(arguments_.size()));
  arguments_.push_back(argument);
}

void Call::add_container(Argument::Kind kind, const void* object, const void* type,
                         std::size_t count) {
  if (kind != Argument::Kind::Tuple) {
    repeats_container_ = repeats_container_ || std::find(containers_.begin(), containers_.end(),
                                                         object) != containers_.end();
    containers_.push_back(object);
  }
  Argument argument{.kind = kind, .object = object, .type = type};
  argument.number = static_cast<std::uint32_t>(count);
  arguments_.push_back(argument);
}

std::vector<Tensor> Call::input_memory() const {
  std::vector<Tensor> tensors;
  tensors.reserve(inputs_.size());
  for (const std::uint32_t input : inputs_)
    tensors.push_back(argument_memory(*arguments_[input].tensor));
  return tensors;
}

std::vector<Tensor> Call::input_tensors() const {
  std::vector<Tensor> tensors;
  tensors.reserve(inputs_.size());
  for (const std::uint32_t input : inputs_) tensors.push_back(*arguments_[input].tensor);
  return tensors;
}

}  // namespace mycel::capture
