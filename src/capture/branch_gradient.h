// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <memory>
#include <vector>

#include "eager/gradient_call.h"
#include "operator/value.h"

namespace mycel::capture {

class Recorder;
using tensor::Tensor;

// The gradient of a decision both sides of which were recorded, each with a tape of its own.
// Backward decides in the same way, and walks the tape of the side that was taken with the values
// that this side has kept. What the other side would have given a gradient gets none: where nothing
// else does either, zeros stand for it.
class BranchGradient final : public eager::RegionGradient {
 public:
  // A value of a side that its tape has saved: a column of what the side keeps, or a result.
  struct Kept {
    Tensor stand_in;  // what the tape refers to
    int column = -1;
    eager::Saved result;
  };
  struct Side {
    std::unique_ptr<eager::GradientCall> call;
    std::vector<std::size_t> targets;  // per watched value of the tape: where its gradient goes
    struct Result {
      Tensor computed;            // by calls that the tape has taken down
      int handed_on = -1;         // or it is the value of this target, as it is
      std::vector<bool> sources;  // per watched value
    };
    std::vector<Result> results;
    std::vector<Kept> kept;
  };
  struct Tape {
    eager::Saved condition;
    eager::Saved log;  // undefined: neither side keeps anything
    std::array<Side, 2> sides;
    std::vector<op::TensorSpec> targets;
  };
  explicit BranchGradient(Tape tape) : tape_(std::move(tape)) {}

  void visit_saved(const std::function<void(eager::Saved&)>& visit) override;
  std::vector<Tensor> backward(std::span<const Tensor> output_gradients,
                               std::span<const Target> targets) override;

 private:
  using Gradients = std::vector<Tensor>;  // per target; undefined: none

  Gradients recorded(Recorder& recorder, std::span<const Tensor> output_gradients,
                     std::span<const Target> targets) const;
  Gradients walked(const Side& side, Recorder* recorder, std::span<const Tensor> output_gradients,
                   std::span<const Target> targets) const;
  void lend(const Side& side, Recorder* recorder) const;
  // Targets that either side may give something: the first of those that are the same.
  std::vector<std::size_t> reached(std::span<const Tensor> output_gradients,
                                   std::span<const Target> targets) const;

  Tape tape_;
};

}  // namespace mycel::capture
