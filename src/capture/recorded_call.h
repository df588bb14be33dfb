// SPDX-License-Identifier: Apache-2.0
// One call of a compiled function inside a gradient that is recorded eagerly: its own part of the
// tape, taken down once on promises and walked later for the values of any call of the same kind.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "capture/recorder.h"
#include "eager/gradient_call.h"

namespace mycel::capture {

class RecordedCall {
 public:
  // While the function is captured: it is given `stand_in` instead of `original`.
  void watch(const Tensor& stand_in, const Tensor& original) {
    call_.watch_stand_in(stand_in, original);
  }
  void end() { call_.end_forward(); }
  // The function has returned these tensors. Finds out what the gradient needs of such a call; a
  // text says why calls of this kind cannot be differentiated as a whole.
  std::string settle(const std::vector<Tensor>& outputs);

  // After `settle`: the tape is not to be walked by this object, but by the outer gradient.
  void leave() const;

  // What the captured function has to return besides.
  std::vector<Tensor> kept() const { return stand_ins_; }
  // Parameters it reads, and whether a gradient goes to them.
  std::vector<std::pair<Tensor, bool>> parameters() const { return parameters_; }
  // Whether the gradient runs Python of the user's.
  bool has_custom() const { return has_custom_; }

  // Enters one call into the tape. `inputs`: originals of what was watched; `outputs`: the tensors
  // it returned, which get histories; `kept`: those it returned besides. `backward(kept, gradients
  // of outputs)` gives what `walk` would.
  using Backward = std::function<std::vector<Tensor>(std::span<const Tensor> kept,
                                                     std::span<const Tensor> gradients)>;
  void record(const std::string& name, std::span<const Tensor> inputs,
              std::span<Tensor* const> outputs, std::span<const Tensor> kept, Backward backward);
  // Instead of `record`, for the call that was captured: its part of the tape belongs to the outer
  // gradient as it is.
  void join(std::span<Tensor* const> outputs);
  // Gradients of what was watched and of the parameters, for other values.
  std::vector<Tensor> walk(const std::vector<Tensor>& kept, const std::vector<Tensor>& seeds);

 private:
  struct Reference {
    Tensor tensor, stand_in;
  };
  void note_saved(Recorder& recorder, eager::Saved& saved);
  std::string note_parameters(const Recorder& recorder, const std::vector<eager::Edge>& outside);
  void keep(const Tensor& tensor);
  void let_go();

  eager::GradientCall call_{eager::GradientCall::Role::Part};
  std::vector<std::size_t> places_;    // of the outputs that were computed here
  std::vector<Tensor> outputs_;        // these
  std::vector<Tensor> stand_ins_;      // what the tape refers to
  std::vector<Reference> references_;  // likewise, but read where it is
  std::vector<Tensor> targets_;        // parameters that get gradients, after what was watched
  std::vector<std::pair<Tensor, bool>> parameters_;
  bool has_custom_ = false;
  std::size_t records_ = 0;
};

}  // namespace mycel::capture
