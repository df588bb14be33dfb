// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <vector>

#include "capture/loop_gradient.h"

namespace mycel::capture {

class Recorder;

// One walk backward through the turns of a loop: made at once, or recorded as a program for any
// number of turns.
//
// What is recorded gives the bits that a tape of all turns gives. Gradients that reach nothing are
// not taken for zeros, so the turns are told apart until the same values have gradients in each of
// them; they come before the loop, each only if there is such a turn. Where a value of the loop was
// at first one that something else reads too, the first turn adds to that one's gradient. Values
// that are the same in all turns have one total, to which every turn adds.
class LoopWalk {
 public:
  LoopWalk(LoopGradient& loop, std::span<const Tensor> gradients,
           std::span<const eager::RegionGradient::Target> targets);
  // Per target; undefined: nothing has been added.
  std::vector<Tensor> turn_by_turn();
  std::vector<Tensor> recorded(Recorder& recorder);

 private:
  // Gradients between two turns; undefined: none.
  struct State {
    Tensor left;                    // turns that are still to be walked, of recorded walks
    std::vector<Tensor> gradients;  // per target
  };
  using Results = std::vector<Tensor>;

  void find_what_leads_on();
  void find_twins();
  Tensor twin_row(std::size_t slot, const Tensor& turn) const;
  void find_what_is_reached();
  void find_what_is_joined();
  State start() const;
  const op::TensorSpec& spec_of(std::size_t target) const;
  std::size_t watched(std::size_t target) const;
  bool is_total(std::size_t target) const;
  bool is_by_row(std::size_t target) const;
  bool leads_to(std::size_t target) const;
  Tensor no_rows(std::size_t target) const;
  void join_rows(std::vector<Tensor>& gradients) const;
  std::size_t representative(std::size_t target) const;
  bool is_given(std::size_t target) const;

  Tensor kept_value(const LoopGradient::Kept& kept, const Tensor& turn) const;
  Tensor computed(const std::vector<LoopGradient::Step>& steps,
                  const std::function<Tensor(int kept)>& kept) const;
  Tensor computed_before(const LoopGradient::Kept& kept, const Tensor& turn) const;
  void lend(const Tensor& turn) const;
  void take_back() const;
  // Walks the tape of a turn; in the first one of the loop values may be joined.
  State walked(State after, const Tensor& turn, bool joins) const;
  State without_turns() const;

  Tensor zeros(const op::TensorSpec& spec) const;
  Tensor nothing(const op::TensorSpec& spec) const;
  Results finished(const State& state) const;
  static std::vector<bool> defined(const State& state);
  static std::vector<Tensor> packed(const State& state);
  static State unpacked(const std::vector<Tensor>& values, const State& like);
  Results branch(const Tensor& condition, const std::function<Results()>& then,
                 const std::function<Results()>& otherwise) const;
  std::vector<bool> tried(const State& state) const;
  State one_turn(const State& state) const;
  State looped(const State& state, int least) const;
  Results descend(State state, std::size_t depth) const;

  const LoopGradient::Tape& tape_;
  std::span<const eager::RegionGradient::Target> targets_;
  Tensor log_, turns_;
  std::vector<Tensor> seeds_;       // per slot
  std::vector<Tensor> made_seeds_;  // per tensor of which turns make rows: all rows of its gradient
  std::vector<int> twins_;          // per slot: what is made of the same value; -1: nothing
  std::vector<bool> leads_;         // slots whose gradients lead to something that is wanted
  std::vector<bool> is_reached_;    // targets that gradients may arrive at
  bool joins_ = false;
  Recorder* recorder_ = nullptr;
};

}  // namespace mycel::capture
