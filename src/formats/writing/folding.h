// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <unordered_map>
#include <vector>

#include "formats/writing/network.h"

namespace mycel::formats::writing {

// Operators of a network that give the same in every run.
class Folding {
 public:
  explicit Folding(op::Emitter& emitter) : emitter_(emitter) {}

  // Whether an operator has nothing but constants to compute from.
  bool is_constant(const Node& node);
  // The outputs of such an operator.
  const std::vector<Tensor>& computed(const Node& node);

 private:
  op::Emitter& emitter_;
  std::unordered_map<const Node*, bool> is_constant_;
  std::unordered_map<const Node*, std::vector<Tensor>> computed_;
};

}  // namespace mycel::formats::writing
