// SPDX-License-Identifier: Apache-2.0
// Loops that a gradient goes through: what a turn has to keep for it.
#include <algorithm>

#include "capture/declined.h"
#include "capture/loop_gradient.h"
#include "capture/recorder.h"
#include "eager/tape.h"
#include "operator/turn_log.h"
#include "platform/error/error.h"

namespace mycel::capture {

using eager::Edge;
using eager::GradientCall;
using eager::Saved;
using ir::Output;

namespace {

bool has_gradient(tensor::DType dtype) {
  return tensor::is_floating(dtype) || tensor::is_complex(dtype);
}

Edge edge_of(const Tensor& tensor) {
  return {platform::Ref<eager::Node>(eager::node_of(tensor)), tensor.body().output_index};
}

// Loop values that gradients go through: they were computed from something that a gradient goes
// to, before the loop or in a turn. `sources`: per watched value.
std::vector<bool> live_values(const std::vector<Tensor>& initial,
                              const std::vector<std::vector<bool>>& sources) {
  std::vector<bool> live;
  for (std::size_t i = 0; i < initial.size(); ++i) {
    const std::vector<bool>& row = sources[i];
    const auto outside = row.begin() + static_cast<std::ptrdiff_t>(initial.size());
    live.push_back(eager::node_of(initial[i]) != nullptr ||
                   std::find(outside, row.end(), true) != row.end());
  }
  for (bool changed = true; changed;) {
    changed = false;
    for (std::size_t i = 0; i < live.size(); ++i) {
      for (std::size_t k = 0; k < live.size() && !live[i]; ++k) {
        if (sources[i][k] && live[k]) live[i] = changed = true;
      }
    }
  }
  return live;
}

}  // namespace

struct Recorder::TurnGradient {
  TurnTape tape;
  LoopGradient::Tape gradient;
  std::vector<std::size_t> values;  // loop values that are its slots
  std::vector<Edge> edges;          // from where these and values from outside come
};

struct Recorder::SavedValue {
  // Kept for every turn; the same in all; of the turn before, or computed from values of that;
  // computed from others of the turn.
  enum class Way : std::uint8_t { Column, Same, Before, Computed };
  Tensor tensor;
  Output output;
  Way way = Way::Column;
  int column = -1;
  int source = -1;         // of the turn before: this value
  bool is_pinned = false;  // it has to be a column: the turn after needs it
  std::vector<LoopGradient::Step> steps;
  Saved initial;
};

void Recorder::stand_for(const Tensor& stand_in, const Tensor& value) {
  Entry entry;
  entry.output = operand(value);
  if (!active_) throw Declined(refusal_);
  entry.storage = stand_in.body().storage;
  entry.spec = {stand_in.dtype(), stand_in.shape(), false};
  entry.storage->set_watcher(this);
  enter(std::move(entry));
}

void Recorder::begin_tape(std::span<const Tensor> given) {
  TurnTape* const tape = regions_.back().tape.get();
  if (tape == nullptr) return;
  if (eager::gradient_order() > 1)
    throw Declined("is part of a gradient that is itself differentiated");
  tape->given.assign(given.begin(), given.end());
  tape->call = std::make_unique<GradientCall>(GradientCall::Role::Part);
  for (std::size_t i = 0; i < given.size(); ++i) {
    if (!has_gradient(given[i].dtype())) continue;
    tape->call->watch_stand_in(given[i], eager::detach(given[i]));
    tape->watched.push_back(i);
  }
}

// Which loop values gradients go through, and where from; false: through none.
bool Recorder::settle_slots(TurnGradient& turn, std::span<const Tensor> next) {
  GradientCall& call = *turn.tape.call;
  std::vector<Tensor> initial, after;  // of what is watched
  std::vector<Edge> histories;
  for (const std::size_t i : turn.tape.watched) {
    initial.push_back(turn.tape.initial[i]);
    after.push_back(next[i]);
    histories.push_back(edge_of(next[i]));
    const eager::Node* const maker = histories.back().node.get();
    if (maker != nullptr && maker->leaf_of != &call && !call.has_computed(next[i]))
      throw Declined("hands on a tensor from outside that a gradient goes to");
  }
  bool has_custom = false;
  const std::vector<Edge> outside = call.cut(
      after, [](Saved&) {}, has_custom);
  if (has_custom) throw Declined("has a gradient function or a hook of its own in it");
  const std::vector<std::vector<bool>> sources = call.sources(after);
  const std::vector<bool> live = live_values(initial, sources);
  LoopGradient::Tape& tape = turn.gradient;
  for (std::size_t i = 0; i < live.size(); ++i) {
    if (!live[i]) continue;
    const auto is_same = [&](const LoopGradient::Slot& slot) {
      const Edge& other = histories[slot.watched];
      return other.node && other.node == histories[i].node && other.output == histories[i].output;
    };
    if (std::any_of(tape.slots.begin(), tape.slots.end(), is_same))
      throw Declined("hands on one value as two");
    turn.values.push_back(turn.tape.watched[i]);
    turn.edges.push_back(edge_of(initial[i]));
    const eager::Node* const maker = histories[i].node.get();
    const bool is_constant = maker != nullptr && maker->leaf_of == &call &&
                             maker == eager::node_of(turn.tape.given[turn.tape.watched[i]]);
    tape.slots.push_back({i, after[i], is_constant, {after[i].dtype(), after[i].shape(), false}});
  }
  for (const Edge& edge : outside) {
    tape.outside.push_back(
        {live.size() + tape.outside.size(), edge.node->output_specs[edge.output]});
    turn.edges.push_back(edge);
  }
  for (const LoopGradient::Slot& slot : tape.slots) {
    std::vector<bool>& row = tape.sources.emplace_back();
    for (const auto& other : tape.slots) row.push_back(sources[slot.watched][other.watched]);
    for (const auto& other : tape.outside) row.push_back(sources[slot.watched][other.watched]);
  }
  std::vector<bool> needed = live;
  needed.resize(call.watched_count(), true);
  call.narrow(after, needed);
  return !tape.slots.empty();
}

std::shared_ptr<Recorder::TurnGradient> Recorder::settle_tape(std::span<const Tensor> next,
                                                              std::vector<Output>& results) {
  if (!regions_.back().tape) return nullptr;
  ir::Node& owner = *regions_.back().owner;
  auto turn = std::make_shared<TurnGradient>();
  turn->tape = std::move(*regions_.back().tape);
  regions_.back().tape = nullptr;
  turn->tape.call->end_forward();
  if (!settle_slots(*turn, next)) return nullptr;
  if (!LoopGradient::settles(turn->gradient.sources))
    throw Declined("has values that change places, and gradients with them");
  collect_kept(*turn, results);
  try_walk(*turn);
  std::vector<op::TensorSpec> types;
  for (std::size_t i = 0; i < owner.operands().size(); ++i) types.push_back(owner.type(i));
  types.push_back(op::TurnLog::type());
  graph_->set_types(owner, std::move(types));
  return turn;
}

// What the tape has saved of the turn, each value once.
std::vector<Recorder::SavedValue> Recorder::saved_in_turn(const TurnGradient& turn) {
  const std::size_t first_order = regions_.back().first_order;
  std::vector<Tensor> after;
  for (const LoopGradient::Slot& slot : turn.gradient.slots) after.push_back(slot.next);
  std::vector<SavedValue> values;
  turn.tape.call->visit_saved(after, [&](Saved& saved) {
    const Tensor content = saved.content();  // as it was: a copy where it has been written since
    saved = Saved(content);
    Entry* entry = find(content.storage());
    if (entry == nullptr) return;
    if (entry->is_memory()) {
      const bool is_written = entry->output && entry->output.node->parent().owner() != nullptr;
      if (is_written) throw Declined("writes memory that its gradient reads");
      return;
    }
    const bool is_known = std::any_of(values.begin(), values.end(), [&](const SavedValue& one) {
      return one.tensor.body().storage == content.body().storage;
    });
    if (entry->order < first_order || is_known) return;
    SavedValue& value = values.emplace_back();
    value.tensor = Tensor::from_storage(entry->storage, entry->spec.shape, entry->spec.dtype);
    value.output = this->content(*entry);
  });
  return values;
}

// Writes down how an elementwise value is computed from others of the turn; false: it is not.
class Recorder::Recipe {
 public:
  Recipe(const std::vector<SavedValue>& values, std::size_t count)
      : values_(values), count_(count) {}

  std::vector<LoopGradient::Step> steps;

  // From the first `count` values that the loop keeps, or is about to compute.
  bool resolve(const Output& output, bool only_columns) {
    LoopGradient::Step::Operand result;
    return expand(output, only_columns, result) && !steps.empty();
  }

 private:
  using Operand = LoopGradient::Step::Operand;

  bool find_known(const Output& output, bool only_columns, Operand& result) const {
    for (std::size_t i = 0; i < count_; ++i) {
      if (!(values_[i].output == output)) continue;
      if (only_columns && values_[i].way != SavedValue::Way::Column) continue;
      result.kept = static_cast<int>(i);
      return true;
    }
    return false;
  }

  bool expand(const Output& output, bool only_columns, Operand& result) {
    constexpr std::size_t kMostSteps = 8;
    const ir::Node& node = *output.node;
    if (find_known(output, only_columns, result)) return true;
    if (node.kind() == ir::NodeKind::Constant && node.tensor().size() == 1) {
      result.constant = node.tensor();
      return true;
    }
    const bool is_suited = node.kind() == ir::NodeKind::Operator &&
                           node.definition()->is_elementwise() && !node.has_effects() &&
                           steps.size() < kMostSteps;
    if (!is_suited) return false;
    LoopGradient::Step step;
    step.definition = node.definition();
    step.attributes = node.attributes();
    for (const Output& operand : node.operands()) {
      if (!operand || !expand(operand, only_columns, step.operands.emplace_back())) return false;
    }
    result.step = static_cast<int>(steps.size());
    steps.push_back(std::move(step));
    return steps.size() <= kMostSteps;
  }

  const std::vector<SavedValue>& values_;
  std::size_t count_;
};

// What was saved becomes columns of what the loop keeps, as little of it as can be: elementwise
// values are computed again from others, and a value with which the turn began from those of the
// turn before, unless it is the same in all turns.
void Recorder::collect_kept(TurnGradient& turn, std::vector<Output>& results) {
  std::vector<SavedValue> values = saved_in_turn(turn);
  std::sort(values.begin(), values.end(), [](const SavedValue& a, const SavedValue& b) {
    return a.output.node->id() < b.output.node->id();  // each after those it is computed from
  });
  for (std::size_t i = 0; i < turn.tape.given.size(); ++i) {
    const auto value = std::find_if(values.begin(), values.end(), [&](const SavedValue& one) {
      return one.tensor.body().storage == turn.tape.given[i].body().storage;
    });
    if (value == values.end() || value->is_pinned) continue;
    settle_given(values, *value, results[i]);
    if (value->way != SavedValue::Way::Column) value->initial = Saved(turn.tape.initial[i]);
  }
  int columns = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    SavedValue& value = values[i];
    if (value.way != SavedValue::Way::Column) continue;
    Recipe recipe(values, i);
    if (!value.is_pinned && recipe.resolve(value.output, false)) {
      value.way = SavedValue::Way::Computed;
      value.steps = std::move(recipe.steps);
      continue;
    }
    value.column = columns++;
    results.push_back(value.output);
  }
  for (const SavedValue& value : values) {
    const int column =
        value.source < 0 ? value.column : values[static_cast<std::size_t>(value.source)].column;
    turn.gradient.kept.push_back({value.tensor, column, value.steps, value.initial});
  }
}

// Where a value comes from with which turns begin, and which becomes `next`.
void Recorder::settle_given(std::vector<SavedValue>& values, SavedValue& value,
                            const Output& next) {
  if (next == value.output) {
    value.way = SavedValue::Way::Same;
    return;
  }
  value.way = SavedValue::Way::Before;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (values[i].way != SavedValue::Way::Column || !(values[i].output == next)) continue;
    value.source = static_cast<int>(i);
    values[i].is_pinned = true;
    return;
  }
  Recipe recipe(values, values.size());
  if (!recipe.resolve(next, true)) {
    value.way = SavedValue::Way::Column;
    return;
  }
  value.steps = std::move(recipe.steps);
  for (const LoopGradient::Step& step : value.steps) {
    for (const auto& operand : step.operands) {
      if (operand.kept >= 0) values[static_cast<std::size_t>(operand.kept)].is_pinned = true;
    }
  }
}

// Whatever may stand in the way of the gradient is found now, while turns can still be recorded one
// by one. Nobody reads what this computes.
void Recorder::try_walk(const TurnGradient& turn) {
  const LoopGradient::Tape& tape = turn.gradient;
  const ir::Region& region = regions_.back().region();
  const std::size_t before = region.nodes().size();
  std::vector<Tensor> after;
  std::vector<GradientCall::Start> starts(turn.tape.call->watched_count());
  for (const LoopGradient::Slot& slot : tape.slots) {
    after.push_back(slot.next);
    starts[slot.watched].is_wanted = true;
  }
  for (const LoopGradient::Outside& one : tape.outside) starts[one.watched].is_wanted = true;
  std::vector<Tensor> found;
  try {
    found = turn.tape.call->walk(after, after, starts);
  } catch (const platform::Error& error) {
    throw Declined(platform::join("has no gradient that can be recorded: ", error.message()));
  }
  for (const LoopGradient::Slot& slot : tape.slots) {
    const Tensor& gradient = found[slot.watched];
    const bool fits = !gradient.defined() ||
                      (gradient.dtype() == slot.spec.dtype && gradient.shape() == slot.spec.shape);
    if (!fits) throw Declined("has a gradient of another type than its value");
  }
  std::size_t place = 0;
  for (const ir::Node* node : region.nodes()) {
    if (place++ >= before && node->has_effects()) throw Declined("has a gradient with effects");
  }
}

void Recorder::attach(TurnGradient& turn, std::vector<Tensor>& results) {
  turn.gradient.call = std::move(turn.tape.call);
  const auto gradient = std::make_shared<LoopGradient>(std::move(turn.gradient));
  gradient->set_log(results.back());
  results.pop_back();
  std::vector<Tensor> outputs;
  for (const std::size_t value : turn.values) outputs.push_back(results[value]);
  eager::record_region(gradient, std::move(turn.edges), outputs);
}

}  // namespace mycel::capture
