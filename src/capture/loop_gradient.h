// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include "eager/gradient_call.h"
#include "operator/value.h"

namespace mycel::capture {

using tensor::Tensor;

// The gradient of a loop that was recorded as one node. One turn of it was recorded with a tape of
// its own; what that saved of the turn the loop keeps for every turn (op::TurnLog). Backward is a
// loop over the turns from the last to the first, in which the tape is walked with the values of
// each. Gradients of the loop's values are carried from turn to turn, those of values from outside
// are totals that every call of every turn adds to, as turn by turn.
class LoopGradient final : public eager::RegionGradient {
 public:
  // A value of the loop that a gradient goes through.
  struct Slot {
    std::size_t watched = 0;   // place of the value before a turn among what the tape watches
    Tensor next;               // the value after it
    bool is_constant = false;  // it is the same: all turns read what the loop starts with
    op::TensorSpec spec;
  };
  struct Outside {
    std::size_t watched = 0;
    op::TensorSpec spec;
  };
  // A tensor of which each turn reads a row; `watched`: that. Its gradient is made row by row.
  struct Scanned {
    std::size_t watched = 0;
    op::TensorSpec spec;
  };
  // What each turn makes a row of.
  struct Made {
    Tensor row;
    std::vector<bool> sources;  // like those of slots
  };
  // One call of those that compute a value again instead of keeping it.
  struct Step {
    struct Operand {
      int kept = -1;    // this one of the values of the turn
      int step = -1;    // or the result of this step
      Tensor constant;  // or this
    };
    const op::OpDef* definition = nullptr;
    op::AttributeList attributes;
    std::vector<Operand> operands;
  };
  // A value of a turn that the tape has saved: a column of the log, a row of a tensor, or what the
  // steps give. With `initial` these are of the turn before, and this comes first; alone it is the
  // value in all turns.
  struct Kept {
    Tensor stand_in;  // what the tape refers to
    int column = -1;
    std::vector<Step> steps;
    eager::Saved initial;
    eager::Saved rows;
  };
  struct Tape {
    std::unique_ptr<eager::GradientCall> call;
    std::vector<Slot> slots;
    std::vector<Outside> outside;
    std::vector<Scanned> scanned;
    std::vector<Made> made;
    // Of each slot: slots, then values from outside, then what rows are read of.
    std::vector<std::vector<bool>> sources;
    std::vector<Kept> kept;
  };
  explicit LoopGradient(Tape tape) : tape_(std::move(tape)) {}

  // What the loop has kept.
  void set_log(const Tensor& log) { log_ = eager::Saved(log); }

  // Whether gradients that arrive at some values arrive, some turns further back, at the same ones
  // in every turn. Values that take turns are none of one program's.
  static bool settles(const std::vector<std::vector<bool>>& sources);

  void visit_saved(const std::function<void(eager::Saved&)>& visit) override;
  std::vector<Tensor> backward(std::span<const Tensor> output_gradients,
                               std::span<const Target> targets) override;

 private:
  friend class LoopWalk;
  std::vector<Tensor> results_of_turn() const;

  Tape tape_;
  eager::Saved log_;
};

}  // namespace mycel::capture
