// SPDX-License-Identifier: Apache-2.0
#include "capture/loop_walk.h"

#include <algorithm>

#include "capture/recorder.h"
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

Value value(const Tensor& tensor) { return {&eager::emitter(), tensor}; }

Tensor call(std::string_view name, std::initializer_list<Value> inputs,
            std::initializer_list<op::NamedAttribute> attributes = {}) {
  return eager::emitter().call(name, inputs, attributes).tensor();
}

Tensor number(std::int64_t number) {
  Tensor tensor = Tensor::empty({}, tensor::DType::Int64);
  *tensor.data<std::int64_t>() = number;
  return tensor;
}

Tensor is_more(const Tensor& count, int least) {
  return call("greater", {value(count), eager::emitter().integer(least)});
}

Tensor before(const Tensor& count) {
  return call("sub", {value(count), eager::emitter().integer(1)});
}

Tensor stretched(const Tensor& scalar, const TensorSpec& spec) {
  const Tensor typed = call("cast", {value(scalar)}, {{"dtype", spec.dtype}});
  if (spec.shape.empty()) return typed;
  return call("broadcast_to", {value(typed)}, {{"shape", spec.shape}});
}

}  // namespace

LoopWalk::LoopWalk(LoopGradient& loop, std::span<const Tensor> gradients,
                   std::span<const eager::RegionGradient::Target> targets)
    : tape_(loop.tape_),
      targets_(targets),
      log_(loop.log_.content()),
      seeds_(gradients.begin(), gradients.end()) {
  find_what_leads_on();
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
        const bool is_useful = k < slots ? leads_[k] : targets_[k].is_wanted;
        if (tape_.sources[i][k] && is_useful) leads_[i] = changed = true;
      }
    }
  }
  for (std::size_t i = 0; i < slots; ++i) {
    if (!leads_[i]) seeds_[i] = Tensor();
  }
}

void LoopWalk::find_what_is_reached() {
  const std::size_t slots = tape_.slots.size();
  is_reached_.assign(targets_.size(), false);
  for (std::size_t i = 0; i < slots; ++i) is_reached_[i] = seeds_[i].defined();
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

const TensorSpec& LoopWalk::spec_of(std::size_t target) const {
  const std::size_t slots = tape_.slots.size();
  return target < slots ? tape_.slots[target].spec : tape_.outside[target - slots].spec;
}

std::size_t LoopWalk::watched(std::size_t target) const {
  const std::size_t slots = tape_.slots.size();
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
    if (is_total(i) && is_given(i)) state.gradients[i] = targets_[i].found;
  }
  for (std::size_t i = seeds_.size(); i-- > 0;) {
    if (!seeds_[i].defined()) continue;
    Tensor& gradient = state.gradients[is_total(i) ? representative(i) : i];
    gradient = gradient.defined() ? (value(gradient) + value(seeds_[i])).tensor() : seeds_[i];
  }
  return state;
}

// ---- one turn ----------------------------------------------------------------------------------

// What the log has; `initial` in the turn before the first.
Tensor LoopWalk::kept_value(const LoopGradient::Kept& kept, const Tensor& turn) const {
  const Tensor initial = kept.initial.defined() ? kept.initial.content() : Tensor();
  if (kept.column < 0) return initial;
  return call("kept_value",
              {value(log_), value(initial.defined() ? before(turn) : turn),
               initial.defined() ? value(initial) : Value()},
              {{"column", kept.column},
               {"shape", kept.stand_in.shape()},
               {"dtype", kept.stand_in.dtype()}});
}

Tensor LoopWalk::computed(const std::vector<LoopGradient::Step>& steps,
                          const std::function<Tensor(int kept)>& value_of) const {
  std::vector<Tensor> results;
  for (const LoopGradient::Step& step : steps) {
    op::ValueList inputs;
    for (const LoopGradient::Step::Operand& operand : step.operands) {
      if (operand.step >= 0)
        inputs.push_back(value(results[static_cast<std::size_t>(operand.step)]));
      else
        inputs.push_back(value(operand.kept >= 0 ? value_of(operand.kept) : operand.constant));
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

void LoopWalk::lend(const LoopGradient::Kept& kept, const Tensor& content) const {
  if (recorder_ != nullptr) {
    recorder_->stand_for(kept.stand_in, content);
    return;
  }
  const Tensor dense = tensor::contiguous(content);
  kept.stand_in.storage().set_watcher(nullptr);
  kept.stand_in.storage().fulfil(
      dense.body().storage,
      static_cast<std::size_t>(dense.body().offset) * tensor::size_of(dense.dtype()));
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
    lend(kept, contents.back());
  }
}

void LoopWalk::take_back() const {
  if (recorder_ != nullptr) return;
  static const Ref<Storage> none = Storage::allocate({}, 1);
  for (const LoopGradient::Kept& kept : tape_.kept) kept.stand_in.storage().fulfil(none);
}

LoopWalk::State LoopWalk::walked(State after, const Tensor& turn, bool joins) const {
  std::vector<GradientCall::Start> starts(tape_.call->watched_count());
  for (std::size_t i = 0; i < targets_.size(); ++i) {
    GradientCall::Start& start = starts[watched(i)];
    const bool is_carried = !is_total(i) && !joins;
    start.is_wanted = is_carried ? leads_[i] : targets_[i].is_wanted;
    if (is_carried || !start.is_wanted) continue;
    const std::size_t other = representative(i);
    if (other != i) start.joined = static_cast<int>(watched(other));
    if (other == i) start.gradient = is_total(i) ? after.gradients[i] : targets_[i].found;
  }
  std::vector<Tensor> outputs, seeds;
  for (std::size_t i = tape_.slots.size(); i-- > 0;) {
    if (is_total(i) || !after.gradients[i].defined()) continue;
    outputs.push_back(tape_.slots[i].next);
    seeds.push_back(after.gradients[i]);
  }
  lend(turn);
  const std::vector<Tensor> found = tape_.call->walk(outputs, seeds, starts);
  State before;
  for (std::size_t i = 0; i < targets_.size(); ++i) before.gradients.push_back(found[watched(i)]);
  take_back();
  return before;
}

// What was to go into the last turn goes to the initial values, if there is none.
LoopWalk::State LoopWalk::without_turns() const {
  State state;
  for (const auto& target : targets_)
    state.gradients.push_back(target.is_wanted ? target.found : Tensor());
  for (std::size_t i = seeds_.size(); i-- > 0;) {
    if (!targets_[i].is_wanted || !seeds_[i].defined()) continue;
    Tensor& gradient = state.gradients[representative(i)];
    gradient = gradient.defined() ? (value(gradient) + value(seeds_[i])).tensor() : seeds_[i];
  }
  return state;
}

std::vector<Tensor> LoopWalk::turn_by_turn() {
  std::int64_t turn = call("turn_count", {value(log_)}).as_int();
  State state = turn == 0 ? without_turns() : start();
  while (turn-- > 0) state = walked(std::move(state), number(turn), joins_ && turn == 0);
  for (std::size_t i = 0; i < targets_.size(); ++i) {
    if (!is_given(i)) state.gradients[i] = Tensor();
  }
  return state.gradients;
}

// ---- any number of turns -----------------------------------------------------------------------

Tensor LoopWalk::zeros(const TensorSpec& spec) const {
  return stretched(call("mul", {value(turns_), eager::emitter().integer(0)}), spec);
}

// What changes no number to which it is added; a zero like any other if nothing is added.
Tensor LoopWalk::nothing(const TensorSpec& spec) const {
  return stretched(call("where", {value(is_more(turns_, 0)), eager::emitter().number(-0.0),
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
  turns_ = call("turn_count", {value(log_)});
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
  return results;
}

}  // namespace mycel::capture
