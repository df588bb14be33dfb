// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
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
  // The same for a tensor that stands for `original`, which an outer call may know.
  void watch_stand_in(const Tensor& stand_in, const Tensor& original);

  void end_forward();

  // Whether a tensor was computed since this call began.
  bool has_computed(const Tensor& tensor) const;
  // Lets what `outputs` were computed from end where this call began: the older tensors it goes
  // back to become watched ones, in the order of the result. `visit` gets everything the nodes
  // keep. Nodes with a backward of the user's own keep what nobody can see; whether there are any
  // is `has_custom`.
  std::vector<Edge> cut(std::span<const Tensor> outputs, const std::function<void(Saved&)>& visit,
                        bool& has_custom);
  // Outer calls no longer reach what they watch through this one.
  void forget_outside();

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
  Ref<Node> make_leaf(const Tensor& input) const;
  Ref<Node> make_leaf(const op::TensorSpec& spec, Edge outer, std::uint64_t sequence) const;
  std::vector<Watched> watched_;
  Ref<Scope> scope_;
  std::uint64_t first_sequence_ = 0;
  bool in_forward_ = true;
  bool is_outermost_ = false;
  bool recording_before_ = false;
};

// Gradient calls under way on this thread: inside the second one, gradients may be differentiated.
int gradient_level();

}  // namespace mycel::eager
