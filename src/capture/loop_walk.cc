// SPDX-License-Identifier: Apache-2.0
#include "capture/loop_walk.h"

#include <algorithm>

#include "capture/recorder.h"
#include "capture/region_values.h"
#include "eager/dispatch.h"
#include "operator/contexts.h"
#include "platform/error/error.h"

namespace mycel::capture {

using eager::GradientCall;
using op::TensorSpec;
using op::Value;
using platform::Ref;
using tensor::Storage;

namespace {

Tensor number(std::int64_t number) {
  Tensor tensor = Tensor::empty({}, tensor::DType::Int64);
  *tensor.data<std::int64_t>() = number;
  return tensor;
}

Tensor is_more(const Tensor& count, int least) {
  return called("greater", {value_of(count), eager::emitter().integer(least)});
}

Tensor before(const Tensor& count) {
  return called("sub", {value_of(count), eager::emitter().integer(1)});
}

}  // namespace

LoopWalk::LoopWalk(LoopGradient& loop, std::span<const Tensor> gradients,
                   std::span<const eager::RegionGradient::Target> targets)
    : tape_(loop.tape_),
      targets_(targets),
      log_(loop.log_.content()),
      seeds_(gradients.begin(), gradients.end()),
      made_seeds_(seeds_.begin() + static_cast<std::ptrdiff_t>(tape_.slots.size()), seeds_.end()) {
  seeds_.resize(tape_.slots.size());
  find_what_leads_on();
  find_twins();
  find_what_is_reached();
  find_what_is_joined();
}

void LoopWalk::find_what_leads_on() {
  const std::size_t slots = tape_.slots.size();
  leads_.assign(slots, false);
  for (std::size_t i = 0; i < slots; ++i) leads_[i] = targets_[i].is_wanted;
  for (bool changed = true; changed;) {
    changed = false;
    for (std::size_t i = 0; i < slots; ++i) {
      for (std::size_t k = 0; k < targets_.size() && !leads_[i]; ++k) {
        if (tape_.sources[i][k] && leads_to(k)) leads_[i] = changed = true;
      }
    }
  }
  for (std::size_t i = 0; i < slots; ++i) {
    if (!leads_[i]) seeds_[i] = Tensor();
  }
  for (std::size_t i = 0; i < made_seeds_.size(); ++i) {
    bool is_useful = false;
    for (std::size_t k = 0; k < targets_.size(); ++k)
      is_useful = is_useful || (tape_.made[i].sources[k] && leads_to(k));
    if (!is_useful) made_seeds_[i] = Tensor();
  }
}

// Where what a turn makes a row of is also the next value of a slot, the calls of the turn after
// add to the gradient that the row has been given, as on a tape of all turns.
void LoopWalk::find_twins() {
  twins_.assign(tape_.slots.size(), -1);
  for (std::size_t i = 0; i < made_seeds_.size(); ++i) {
    const tensor::TensorBody& row = tape_.made[i].row.body();
    for (std::size_t k = 0; k < tape_.slots.size() && made_seeds_[i].defined(); ++k) {
      const tensor::TensorBody& next = tape_.slots[k].next.body();
      const bool is_read = std::any_of(tape_.sources.begin(), tape_.sources.end(),
                                       [&](const std::vector<bool>& row) { return row[k]; });
      const bool is_same =
          row.history && row.history == next.history && row.output_index == next.output_index;
      if (is_same && is_read && leads_[k] && !is_total(k) && twins_[k] < 0)
        twins_[k] = static_cast<int>(i);
    }
  }
}

// The gradient that other calls have given to the row of a turn, of which a slot has made more;
// undefined: there is no such row.
Tensor LoopWalk::twin_row(std::size_t slot, const Tensor& turn) const {
  if (slot >= twins_.size() || twins_[slot] < 0) return {};
  static const Tensor none = eager::number_tensor(-0.0);
  return row_at(made_seeds_[static_cast<std::size_t>(twins_[slot])], turn,
                stretched(none, tape_.slots[slot].spec));
}

// Whether a gradient that arrives at a target is of use.
bool LoopWalk::leads_to(std::size_t target) const {
  return target < tape_.slots.size() ? leads_[target] : targets_[target].is_wanted;
}

void LoopWalk::find_what_is_reached() {
  const std::size_t slots = tape_.slots.size();
  is_reached_.assign(targets_.size(), false);
  for (std::size_t i = 0; i < slots; ++i) is_reached_[i] = seeds_[i].defined();
  for (std::size_t i = 0; i < made_seeds_.size(); ++i) {
    for (std::size_t k = 0; k < targets_.size() && made_seeds_[i].defined(); ++k) {
      if (tape_.made[i].sources[k] && (k >= slots || leads_[k])) is_reached_[k] = true;
    }
  }
  for (bool changed = true; changed;) {
    changed = false;
    for (std::size_t i = 0; i < slots; ++i) {
      for (std::size_t k = 0; k < targets_.size() && is_reached_[i]; ++k) {
        if (!tape_.sources[i][k] || is_reached_[k] || (k < slots && !leads_[k])) continue;
        is_reached_[k] = changed = true;
      }
    }
  }
}

bool LoopWalk::is_by_row(std::size_t target) const {
  return target >= tape_.slots.size() + tape_.outside.size();
}

const TensorSpec& LoopWalk::spec_of(std::size_t target) const {
  const std::size_t slots = tape_.slots.size(), outside = tape_.outside.size();
  if (is_by_row(target)) return tape_.scanned[target - slots - outside].spec;
  return target < slots ? tape_.slots[target].spec : tape_.outside[target - slots].spec;
}

std::size_t LoopWalk::watched(std::size_t target) const {
  const std::size_t slots = tape_.slots.size(), outside = tape_.outside.size();
  if (is_by_row(target)) return tape_.scanned[target - slots - outside].watched;
  return target < slots ? tape_.slots[target].watched : tape_.outside[target - slots].watched;
}

// Whether all turns add to one gradient of it.
bool LoopWalk::is_total(std::size_t target) const {
  return target >= tape_.slots.size() || tape_.slots[target].is_constant;
}

// The target that stands for all that are the same value: best one with a total, which is carried
// through all turns.
std::size_t LoopWalk::representative(std::size_t target) const {
  const std::size_t first = targets_[target].same_as;
  for (std::size_t i = 0; i < targets_.size(); ++i) {
    if (targets_[i].is_wanted && targets_[i].same_as == first && is_total(i)) return i;
  }
  return first;
}

void LoopWalk::find_what_is_joined() {
  for (std::size_t i = 0; i < tape_.slots.size(); ++i) {
    if (!targets_[i].is_wanted || !is_reached_[i] || is_total(i)) continue;
    const auto is_other = [&](std::size_t k) {
      return k != i && targets_[k].is_wanted && targets_[k].same_as == targets_[i].same_as;
    };
    joins_ = joins_ || targets_[i].found.defined();
    for (std::size_t k = 0; k < targets_.size(); ++k) joins_ = joins_ || is_other(k);
  }
}

// Whether something is handed back for a target.
bool LoopWalk::is_given(std::size_t target) const {
  if (!targets_[target].is_wanted || representative(target) != target) return false;
  for (std::size_t i = 0; i < targets_.size(); ++i) {
    if (targets_[i].is_wanted && is_reached_[i] && representative(i) == target) return true;
  }
  return false;
}

// What there is before the last turn is walked.
LoopWalk::State LoopWalk::start() const {
  State state;
  state.gradients.resize(targets_.size());
  for (std::size_t i = 0; i < targets_.size(); ++i) {
    if (is_total(i) && is_given(i) && !is_by_row(i)) state.gradients[i] = targets_[i].found;
  }
  for (std::size_t i = seeds_.size(); i-- > 0;) {
    if (!seeds_[i].defined()) continue;
    Tensor& gradient = state.gradients[is_total(i) ? representative(i) : i];
    gradient = gradient.defined() ? (value_of(gradient) + value_of(seeds_[i])).tensor() : seeds_[i];
  }
  for (std::size_t i = 0; i < seeds_.size(); ++i) {
    if (twins_[i] < 0) continue;
    const auto& rows = made_seeds_[static_cast<std::size_t>(twins_[i])].shape();
    const Tensor row = twin_row(i, number(rows[0] - 1));
    Tensor& gradient = state.gradients[i];
    gradient = gradient.defined() ? (value_of(row) + value_of(gradient)).tensor() : row;
  }
  return state;
}

// ---- one turn ----------------------------------------------------------------------------------

// What the log has; `initial` in the turn before the first.
Tensor LoopWalk::kept_value(const LoopGradient::Kept& kept, const Tensor& turn) const {
  const Tensor initial = kept.initial.defined() ? kept.initial.content() : Tensor();
  if (kept.rows.defined())
    return row_at(kept.rows.content(), initial.defined() ? before(turn) : turn, initial);
  if (kept.column < 0) return initial;
  return capture::kept_value(log_, initial.defined() ? before(turn) : turn, kept.column,
                             {kept.stand_in.dtype(), kept.stand_in.shape(), false}, initial);
}

Tensor LoopWalk::computed(const std::vector<LoopGradient::Step>& steps,
                          const std::function<Tensor(int kept)>& kept) const {
  std::vector<Tensor> results;
  for (const LoopGradient::Step& step : steps) {
    op::ValueList inputs;
    for (const LoopGradient::Step::Operand& operand : step.operands) {
      if (operand.step >= 0)
        inputs.push_back(value_of(results[static_cast<std::size_t>(operand.step)]));
      else
        inputs.push_back(value_of(operand.kept >= 0 ? kept(operand.kept) : operand.constant));
    }
    results.push_back(
        eager::emitter().emit(*step.definition, inputs, step.attributes).front().tensor());
  }
  return results.back();
}

// A value with which a turn begins, from what the turn before has kept.
Tensor LoopWalk::computed_before(const LoopGradient::Kept& kept, const Tensor& turn) const {
  const auto compute = [&]() -> Results {
    const Tensor earlier = before(turn);
    return {computed(kept.steps, [&](int place) {
      return kept_value(tape_.kept[static_cast<std::size_t>(place)], earlier);
    })};
  };
  const auto initial = [&]() -> Results { return {kept.initial.content()}; };
  if (recorder_ == nullptr) return (turn.as_int() > 0 ? compute() : initial()).front();
  return branch(is_more(turn, 0), compute, initial).front();
}

// Lets the tape see the values of a turn.
void LoopWalk::lend(const Tensor& turn) const {
  std::vector<Tensor> contents;
  for (const LoopGradient::Kept& kept : tape_.kept) {
    const bool is_of_before = kept.initial.defined();
    contents.push_back(kept.steps.empty() ? kept_value(kept, turn)
                       : is_of_before     ? computed_before(kept, turn)
                                          : computed(kept.steps, [&](int place) {
                                          return contents[static_cast<std::size_t>(place)];
                                        }));
    capture::lend(recorder_, kept.stand_in, contents.back());
  }
}

void LoopWalk::take_back() const {
  if (recorder_ != nullptr) return;
  for (const LoopGradient::Kept& kept : tape_.kept) capture::take_back(kept.stand_in);
}

LoopWalk::State LoopWalk::walked(State after, const Tensor& turn, bool joins) const {
  std::vector<GradientCall::Start> starts(tape_.call->watched_count());
  for (std::size_t i = 0; i < targets_.size(); ++i) {
    GradientCall::Start& start = starts[watched(i)];
    const bool is_carried = !is_total(i) && !joins;
    start.is_wanted = is_carried ? leads_[i] : targets_[i].is_wanted;
    if (is_carried && start.is_wanted) start.gradient = twin_row(i, before(turn));
    if (is_carried || !start.is_wanted) continue;
    if (is_by_row(i)) continue;
    const std::size_t other = representative(i);
    if (other != i) start.joined = static_cast<int>(watched(other));
    if (other == i) start.gradient = is_total(i) ? after.gradients[i] : targets_[i].found;
  }
  std::vector<Tensor> outputs, seeds;
  for (std::size_t i = made_seeds_.size(); i-- > 0;) {
    const bool is_twin =
        std::find(twins_.begin(), twins_.end(), static_cast<int>(i)) != twins_.end();
    if (!made_seeds_[i].defined() || is_twin) continue;
    outputs.push_back(tape_.made[i].row);
    seeds.push_back(row_at(made_seeds_[i], turn));
  }
  for (std::size_t i = tape_.slots.size(); i-- > 0;) {
    if (is_total(i) || !after.gradients[i].defined()) continue;
    outputs.push_back(tape_.slots[i].next);
    seeds.push_back(after.gradients[i]);
  }
  lend(turn);
  const std::vector<Tensor> found = tape_.call->walk(outputs, seeds, starts);
  State before;
  for (std::size_t i = 0; i < targets_.size(); ++i) {
    Tensor gradient = found[watched(i)];
    if (is_by_row(i) && is_given(i)) {
      const bool copies = recorder_ != nullptr;
      gradient = gradient.defined() ? with_row(after.gradients[i], gradient, turn, copies)
                                    : after.gradients[i];
    }
    before.gradients.push_back(std::move(gradient));
  }
  take_back();
  return before;
}

// What rows are written into until all are there.
Tensor LoopWalk::no_rows(std::size_t target) const {
  const Tensor zeros = stretched(eager::number_tensor(0.0), spec_of(target));
  return called("copy", {value_of(zeros)});
}

// Turns have made all of these gradients: other calls may have given some before.
void LoopWalk::join_rows(std::vector<Tensor>& gradients) const {
  for (std::size_t i = 0; i < targets_.size(); ++i) {
    const Tensor& found = targets_[i].found;
    if (!is_by_row(i) || !is_given(i) || !found.defined()) continue;
    Tensor& gradient = gradients[i];
    gradient = gradient.defined() ? (value_of(found) + value_of(gradient)).tensor() : found;
  }
}

// What was to go into the last turn goes to the initial values, if there is none.
LoopWalk::State LoopWalk::without_turns() const {
  State state;
  for (std::size_t i = 0; i < targets_.size(); ++i)
    state.gradients.push_back(targets_[i].is_wanted && !is_by_row(i) ? targets_[i].found
                                                                     : Tensor());
  for (std::size_t i = seeds_.size(); i-- > 0;) {
    if (!targets_[i].is_wanted || !seeds_[i].defined()) continue;
    Tensor& gradient = state.gradients[representative(i)];
    gradient = gradient.defined() ? (value_of(gradient) + value_of(seeds_[i])).tensor() : seeds_[i];
  }
  return state;
}

std::vector<Tensor> LoopWalk::turn_by_turn() {
  std::int64_t turn = called("turn_count", {value_of(log_)}).as_int();
  State state = turn == 0 ? without_turns() : start();
  for (std::size_t i = 0; i < targets_.size() && turn > 0; ++i) {
    if (is_by_row(i) && is_given(i)) state.gradients[i] = no_rows(i);
  }
  while (turn-- > 0) state = walked(std::move(state), number(turn), joins_ && turn == 0);
  join_rows(state.gradients);
  for (std::size_t i = 0; i < targets_.size(); ++i) {
    if (!is_given(i)) state.gradients[i] = Tensor();
  }
  return state.gradients;
}

// ---- any number of turns -----------------------------------------------------------------------

Tensor LoopWalk::zeros(const TensorSpec& spec) const {
  return stretched(called("mul", {value_of(turns_), eager::emitter().integer(0)}), spec);
}

// What changes no number to which it is added; a zero like any other if nothing is added.
Tensor LoopWalk::nothing(const TensorSpec& spec) const {
  return stretched(called("where", {value_of(is_more(turns_, 0)), eager::emitter().number(-0.0),
                                    eager::emitter().number(0.0)}),
                   spec);
}

std::vector<bool> LoopWalk::defined(const State& state) {
  std::vector<bool> defined;
  for (const Tensor& gradient : state.gradients) defined.push_back(gradient.defined());
  return defined;
}

std::vector<Tensor> LoopWalk::packed(const State& state) {
  std::vector<Tensor> values{state.left};
  for (const Tensor& gradient : state.gradients) {
    if (gradient.defined()) values.push_back(gradient);
  }
  return values;
}

LoopWalk::State LoopWalk::unpacked(const std::vector<Tensor>& values, const State& like) {
  State state = like;
  std::size_t next = 0;
  state.left = values[next++];
  for (Tensor& gradient : state.gradients) {
    if (gradient.defined()) gradient = values[next++];
  }
  return state;
}

// All that is handed back, whatever way led there.
LoopWalk::Results LoopWalk::finished(const State& state) const {
  Results results;
  for (std::size_t i = 0; i < targets_.size(); ++i) {
    const Tensor& gradient = state.gradients[i];
    if (is_given(i)) results.push_back(gradient.defined() ? gradient : zeros(spec_of(i)));
  }
  return results;
}

LoopWalk::Results LoopWalk::branch(const Tensor& condition, const std::function<Results()>& then,
                                   const std::function<Results()>& otherwise) const {
  recorder_->begin_branch(condition);
  recorder_->begin_other_branch(then());
  return recorder_->end_branch(otherwise());
}

LoopWalk::State LoopWalk::one_turn(const State& state) const {
  const Tensor turn = before(state.left);
  State next = walked(state, turn, false);
  next.left = turn;
  return next;
}

// What has gradients after one more turn.
std::vector<bool> LoopWalk::tried(const State& state) const {
  const std::size_t depth = recorder_->region_depth();
  recorder_->begin_branch(is_more(state.left, 0));
  std::vector<bool> result = defined(one_turn(state));
  recorder_->drop_regions(depth);
  return result;
}

LoopWalk::State LoopWalk::looped(const State& state, int least) const {
  const std::vector<Tensor> given = recorder_->begin_loop(packed(state));
  const State turn = unpacked(recorder_->begin_turn(is_more(given[0], least)), state);
  State before = one_turn(turn);
  for (std::size_t i = 0; i < targets_.size(); ++i) {
    if (!state.gradients[i].defined()) before.gradients[i] = Tensor();
    if (state.gradients[i].defined() && !before.gradients[i].defined())
      before.gradients[i] = zeros(spec_of(i));
  }
  return unpacked(recorder_->end_loop(packed(before)), state);
}

LoopWalk::Results LoopWalk::descend(State state, std::size_t depth) const {
  // LoopGradient::settles has made sure that this ends; a rule that surprises gets zeros.
  const bool is_too_deep = depth > tape_.slots.size() + 1;
  for (std::size_t i = 0; i < tape_.slots.size() && is_too_deep; ++i) {
    if (is_reached_[i] && !is_total(i) && !state.gradients[i].defined())
      state.gradients[i] = zeros(spec_of(i));
  }
  const auto first_turn = [&](const State& last) {
    return finished(walked(last, before(last.left), true));
  };
  if (is_too_deep || tried(state) == defined(state)) {
    const State last = looped(state, joins_ ? 1 : 0);
    return joins_ ? first_turn(last) : finished(last);
  }
  return branch(
      is_more(state.left, joins_ ? 1 : 0), [&] { return descend(one_turn(state), depth + 1); },
      [&] { return joins_ ? first_turn(state) : finished(state); });
}

std::vector<Tensor> LoopWalk::recorded(Recorder& recorder) {
  recorder_ = &recorder;
  std::vector<Tensor> results(targets_.size());
  bool is_any = false;
  for (std::size_t i = 0; i < targets_.size(); ++i) is_any = is_any || is_given(i);
  if (!is_any) return results;
  turns_ = called("turn_count", {value_of(log_)});
  State state = start();
  state.left = turns_;
  for (std::size_t i = 0; i < targets_.size(); ++i) {
    if (is_total(i) && is_given(i) && !state.gradients[i].defined())
      state.gradients[i] = nothing(spec_of(i));
  }
  const Results found = joins_ ? branch(
                                     is_more(turns_, 0), [&] { return descend(state, 0); },
                                     [&] { return finished(without_turns()); })
                               : descend(state, 0);
  std::size_t next = 0;
  for (std::size_t i = 0; i < targets_.size(); ++i) {
    if (is_given(i)) results[i] = found[next++];
  }
  join_rows(results);
  return results;
}

}  // namespace mycel::capture
