// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "eager/tape.h"

namespace mycel::eager {

// One use of grad, value_and_grad or vjp: watch inputs, run the function, end_forward, backward.
// Calls nest; the inner one's computations are recorded for the outer one.
class GradientCall {
 public:
  // A part of another one is there to take down some of its calls apart.
  enum class Role : std::uint8_t { Whole, Part };
  explicit GradientCall(Role role = Role::Whole);
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
  std::size_t watched_count() const { return watched_.size(); }

  // Whether a tensor was computed since this call began.
  bool has_computed(const Tensor& tensor) const;
  // Lets what `outputs` were computed from end where this call began: the older tensors it goes
  // back to become watched ones, in the order of the result. `visit` gets everything the nodes
  // keep. Nodes with a backward of the user's own keep what nobody can see; whether there are any
  // is `has_custom`.
  std::vector<Edge> cut(std::span<const Tensor> outputs, const std::function<void(Saved&)>& visit,
                        bool& has_custom);
  // The same visit again, after `cut`.
  void visit_saved(std::span<const Tensor> outputs, const std::function<void(Saved&)>& visit) const;
  // For each of `outputs`, which watched tensors it was computed from.
  std::vector<std::vector<bool>> sources(std::span<const Tensor> outputs) const;
  // No gradient will be wanted for watched tensors that are not `needed`: lets go of what was saved
  // for them alone.
  void narrow(std::span<const Tensor> outputs, const std::vector<bool>& needed);
  // Outer calls no longer reach what they watch through this one.
  void forget_outside();

  // Gradients of every watched tensor, in the order they were watched; zeros are undefined tensors.
  // `seeds` are the gradients of `outputs`; an undefined seed means ones. With `keep` the call can
  // be walked again.
  std::vector<Tensor> backward(std::span<const Tensor> outputs, std::span<const Tensor> seeds,
                               bool keep);

  // What a walk begins with for a watched tensor.
  struct Start {
    bool is_wanted = false;
    Tensor gradient;  // that has arrived already
    int joined = -1;  // the watched tensor that it is the same as
  };
  // The same for a part, which others have begun and go on with: gradients are added to those that
  // have arrived. They may share memory. What is walked is kept, and nobody differentiates it.
  std::vector<Tensor> walk(std::span<const Tensor> outputs, std::span<const Tensor> seeds,
                           std::span<const Start> starts);

 private:
  struct Watched {
    Ref<Node> node;
    Tensor parameter;  // defined for parameters
    Ref<tensor::History> history_before;
    std::uint32_t index_before = 0;
  };
  Ref<Node> make_leaf(const Tensor& input) const;
  Ref<Node> make_leaf(const op::TensorSpec& spec, Edge outer, std::uint64_t sequence) const;
  std::vector<Ref<Node>> begin_walk(std::span<const Tensor> outputs, std::uint64_t walk,
                                    std::span<const Start> starts);
  std::vector<Watched> watched_;
  Role role_;
  Ref<Scope> scope_;
  std::uint64_t first_sequence_ = 0;
  bool in_forward_ = true;
  bool is_outermost_ = false;
  bool recording_before_ = false;
};

// Gradient calls under way on this thread: inside the second one, gradients may be differentiated.
int gradient_level();
// The same without parts: how often a function is being differentiated.
int gradient_order();

}  // namespace mycel::eager
