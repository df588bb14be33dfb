// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "eager/tape.h"

namespace mycel::eager {

// One use of grad, value_and_grad or vjp: watch inputs, run the function, end_forward, backward.
// Calls nest; the inner one's computations are recorded for the outer one.
class GradientCall {
 public:
  GradientCall();
  ~GradientCall();
  GradientCall(const GradientCall&) = delete;
  GradientCall& operator=(const GradientCall&) = delete;

  // What the function is to be given instead of `input`: the same data, known to this call.
  Tensor watch(const Tensor& input);
  // A Parameter is read by reference, so it is watched itself, until end_forward.
  void watch_parameter(const Tensor& parameter);

  void end_forward();

  // Gradients of every watched tensor, in the order they were watched; zeros are undefined tensors.
  // `seeds` are the gradients of `outputs`; an undefined seed means ones. With `keep` the call can
  // be walked again.
  std::vector<Tensor> backward(std::span<const Tensor> outputs, std::span<const Tensor> seeds,
                               bool keep);

 private:
  struct Watched {
    Ref<Node> node;
    Tensor parameter;  // defined for parameters
    Ref<tensor::History> history_before;
    std::uint32_t index_before = 0;
  };
  Ref<Node> make_leaf(const Tensor& input);
  std::vector<Watched> watched_;
  Ref<Scope> scope_;
  std::uint64_t first_sequence_ = 0;
  bool in_forward_ = true;
  bool recording_before_ = false;
};

}  // namespace mycel::eager
