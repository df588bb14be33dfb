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

void require_of_turn(const GradientCall& call, const Tensor& result) {
  const eager::Node* const maker = eager::node_of(result);
  if (maker != nullptr && maker->leaf_of != &call && !call.has_computed(result))
    throw Declined("hands on a tensor from outside that a gradient goes to");
}

// Sources, per watched value, as targets: slots, values from outside, what rows are read of.
std::vector<bool> seen_by_targets(const LoopGradient::Tape& tape,
                                  const std::vector<bool>& sources) {
  std::vector<bool> seen;
  for (const auto& one : tape.slots) seen.push_back(sources[one.watched]);
  for (const auto& one : tape.outside) seen.push_back(sources[one.watched]);
  for (const auto& one : tape.scanned) seen.push_back(sources[one.watched]);
  return seen;
}

}  // namespace

struct Recorder::TurnGradient {
  TurnTape tape;
  LoopGradient::Tape gradient;
  std::vector<std::size_t> values;  // loop values that have gradients: its slots, and what it makes
  std::vector<Edge> edges;          // from where slots, values from outside and rows come
  std::vector<std::pair<std::size_t, std::size_t>>
      rows;  // kept values that are rows of a loop value

  // What gradients of a turn begin with.
  std::vector<Tensor> results() const {
    std::vector<Tensor> results;
    for (const LoopGradient::Slot& slot : gradient.slots) results.push_back(slot.next);
    for (const LoopGradient::Made& made : gradient.made) results.push_back(made.row);
    return results;
  }
};

struct Recorder::KeptValue {
  // Kept for every turn; the same in all; of the turn before, or computed from values of that;
  // computed from others of the turn.
  enum class Way : std::uint8_t { Column, Same, Before, Computed };
  Tensor tensor;
  Output output;
  Way way = Way::Column;
  int column = -1;
  int source = -1;         // of the turn before: this value
  int made = -1;           // instead of a column: rows of this loop value
  bool is_pinned = false;  // it has to be a column: the turn after needs it
  std::vector<LoopGradient::Step> steps = {};
  Saved initial = {};
  Saved rows = {};  // instead of a column: rows of this

  bool is_row() const { return rows.defined() || made >= 0; }
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
  require_can_keep();
  tape->writes = recorded_writes();
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
    require_of_turn(call, next[i]);
  }
  std::vector<Tensor> results = after;
  for (const TurnTape::Made& made : turn.tape.made) {
    require_of_turn(call, made.row);
    results.push_back(made.row);
  }
  bool has_custom = false;
  const std::vector<Edge> outside = call.cut(
      results, [](Saved&) {}, has_custom);
  if (has_custom) throw Declined("has a gradient function or a hook of its own in it");
  const std::vector<std::vector<bool>> sources = call.sources(results);
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
  const std::size_t first_outside = live.size() + turn.tape.scanned.size();
  for (const Edge& edge : outside) {
    tape.outside.push_back(
        {first_outside + tape.outside.size(), edge.node->output_specs[edge.output]});
    turn.edges.push_back(edge);
  }
  settle_scan(turn, live, sources);
  for (const LoopGradient::Slot& slot : tape.slots)
    tape.sources.push_back(seen_by_targets(tape, sources[slot.watched]));
  std::vector<bool> needed = live;
  needed.resize(call.watched_count(), true);
  call.narrow(results, needed);
  return !tape.slots.empty() || !tape.made.empty();
}

// What rows are read of, and what rows are made that gradients go through.
void Recorder::settle_scan(TurnGradient& turn, const std::vector<bool>& live,
                           const std::vector<std::vector<bool>>& sources) {
  LoopGradient::Tape& tape = turn.gradient;
  for (const TurnTape::Scanned& one : turn.tape.scanned) {
    tape.scanned.push_back(
        {live.size() + tape.scanned.size(), {one.rows.dtype(), one.rows.shape(), false}});
    const Edge edge = edge_of(one.rows);
    const bool is_read_otherwise = std::any_of(
        turn.edges.begin(), turn.edges.end(),
        [&](const Edge& other) { return other.node == edge.node && other.output == edge.output; });
    if (is_read_otherwise) throw Declined("reads more of a tensor than its rows");
    turn.edges.push_back(edge);
  }
  for (std::size_t i = 0; i < turn.tape.made.size(); ++i) {
    const TurnTape::Made& made = turn.tape.made[i];
    const std::vector<bool> row = seen_by_targets(tape, sources[live.size() + i]);
    if (std::find(row.begin(), row.end(), true) == row.end()) continue;
    tape.made.push_back({made.row, row});
    turn.values.push_back(made.value);
  }
}

std::shared_ptr<Recorder::TurnGradient> Recorder::settle_tape(std::span<const Tensor> next,
                                                              std::vector<Output>& results) {
  if (!regions_.back().tape) return nullptr;
  ir::Node& owner = *regions_.back().owner;
  auto turn = std::make_shared<TurnGradient>();
  turn->tape = std::move(*regions_.back().tape);
  regions_.back().tape = nullptr;
  turn->tape.call->end_forward();
  require_no_recorded_writes(turn->tape.writes);
  if (!settle_slots(*turn, next)) return nullptr;
  if (!LoopGradient::settles(turn->gradient.sources))
    throw Declined("has values that change places, and gradients with them");
  collect_kept(*turn, results);
  std::vector<WantedGradient> wanted;
  for (const LoopGradient::Slot& slot : turn->gradient.slots)
    wanted.push_back({slot.watched, slot.spec});
  for (const LoopGradient::Outside& one : turn->gradient.outside)
    wanted.push_back({one.watched, one.spec});
  for (const LoopGradient::Scanned& one : turn->gradient.scanned) {
    op::TensorSpec row = one.spec;
    row.shape.erase(0);
    wanted.push_back({one.watched, std::move(row)});
  }
  try_walk(*turn->tape.call, turn->results(), wanted);
  std::vector<op::TensorSpec> types;
  for (std::size_t i = 0; i < owner.operands().size(); ++i) types.push_back(owner.type(i));
  types.push_back(op::TurnLog::type());
  graph_->set_types(owner, std::move(types));
  return turn;
}

// Writes down how an elementwise value is computed from others of the turn; false: it is not.
class Recorder::Recipe {
 public:
  Recipe(const std::vector<KeptValue>& values, std::size_t count)
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
      if (only_columns && values_[i].way != KeptValue::Way::Column) continue;
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

  const std::vector<KeptValue>& values_;
  std::size_t count_;
};

// What was saved becomes columns of what the loop keeps, as little of it as can be: elementwise
// values are computed again from others, and a value with which the turn began from those of the
// turn before, unless it is the same in all turns.
void Recorder::collect_kept(TurnGradient& turn, std::vector<Output>& results) {
  std::vector<KeptValue> values;
  for (const SavedValue& saved : saved_here(*turn.tape.call, turn.results())) {
    KeptValue& value = values.emplace_back();
    value.tensor = saved.tensor;
    value.output = saved.output;
    for (const TurnTape::Scanned& one : turn.tape.scanned) {
      if (operand(one.row) == value.output) value.rows = Saved(one.rows);
    }
    for (const TurnTape::Made& one : turn.tape.made) {
      if (!value.is_row() && operand(one.row) == value.output)
        value.made = static_cast<int>(one.value);
    }
  }
  std::sort(values.begin(), values.end(), [](const KeptValue& a, const KeptValue& b) {
    return a.output.node->id() < b.output.node->id();  // each after those it is computed from
  });
  for (std::size_t i = 0; i < turn.tape.given.size(); ++i) {
    const auto value = std::find_if(values.begin(), values.end(), [&](const KeptValue& one) {
      return one.tensor.body().storage == turn.tape.given[i].body().storage;
    });
    if (value == values.end() || value->is_pinned) continue;
    settle_given(values, *value, results[i]);
    if (value->way != KeptValue::Way::Column) value->initial = Saved(turn.tape.initial[i]);
  }
  int columns = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    KeptValue& value = values[i];
    if (value.way != KeptValue::Way::Column || value.is_row()) continue;
    Recipe recipe(values, i);
    if (!value.is_pinned && recipe.resolve(value.output, false)) {
      value.way = KeptValue::Way::Computed;
      value.steps = std::move(recipe.steps);
      continue;
    }
    value.column = columns++;
    results.push_back(value.output);
  }
  for (const KeptValue& value : values) {
    const KeptValue& holder =
        value.source < 0 ? value : values[static_cast<std::size_t>(value.source)];
    if (holder.made >= 0)
      turn.rows.emplace_back(turn.gradient.kept.size(), static_cast<std::size_t>(holder.made));
    turn.gradient.kept.push_back(
        {value.tensor, holder.column, value.steps, value.initial, holder.rows});
  }
}

// Where a value comes from with which turns begin, and which becomes `next`.
void Recorder::settle_given(std::vector<KeptValue>& values, KeptValue& value, const Output& next) {
  if (next == value.output) {
    value.way = KeptValue::Way::Same;
    return;
  }
  value.way = KeptValue::Way::Before;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (values[i].way != KeptValue::Way::Column || !(values[i].output == next)) continue;
    value.source = static_cast<int>(i);
    values[i].is_pinned = true;
    return;
  }
  Recipe recipe(values, values.size());
  if (!recipe.resolve(next, true)) {
    value.way = KeptValue::Way::Column;
    return;
  }
  value.steps = std::move(recipe.steps);
  for (const LoopGradient::Step& step : value.steps) {
    for (const auto& operand : step.operands) {
      if (operand.kept >= 0) values[static_cast<std::size_t>(operand.kept)].is_pinned = true;
    }
  }
}

void Recorder::attach(TurnGradient& turn, std::vector<Tensor>& results) {
  turn.gradient.call = std::move(turn.tape.call);
  for (const auto& [kept, value] : turn.rows) turn.gradient.kept[kept].rows = Saved(results[value]);
  const auto gradient = std::make_shared<LoopGradient>(std::move(turn.gradient));
  gradient->set_log(results.back());
  results.pop_back();
  std::vector<Tensor> outputs;
  for (const std::size_t value : turn.values) outputs.push_back(results[value]);
  eager::record_region(gradient, std::move(turn.edges), outputs);
}

}  // namespace mycel::capture
