// SPDX-License-Identifier: Apache-2.0
// Decisions that a gradient goes through: what each side has to keep for it.
#include <algorithm>

#include "capture/branch_gradient.h"
#include "capture/declined.h"
#include "capture/recorder.h"
#include "eager/tape.h"
#include "operator/registry.h"
#include "operator/turn_log.h"

namespace mycel::capture {

using eager::Edge;
using eager::GradientCall;
using eager::Saved;
using ir::Output;

struct Recorder::BranchTape {
  struct Kept {
    Tensor stand_in;
    int column = -1;
    int result = -1;
  };
  struct Side {
    std::unique_ptr<GradientCall> call;
    std::vector<Tensor> computed;            // per result; undefined: not by a call of this side
    std::vector<Edge> handed_on;             // per result, likewise: of a value from outside
    std::vector<Edge> outside;               // per watched value
    std::vector<std::vector<bool>> sources;  // per result: watched values
    std::vector<Kept> kept;
    int columns = 0;
  };
  Tensor condition;
  WritesBefore writes;
  std::array<Side, 2> sides;
};

void Recorder::begin_branch_tape(const Tensor& condition) {
  require_can_keep();
  auto tape = std::make_shared<BranchTape>();
  tape->condition = condition;
  tape->writes = recorded_writes();
  tape->sides[0].call = std::make_unique<GradientCall>(GradientCall::Role::Part);
  regions_.back().branch = std::move(tape);
}

// Ends the tape of a side and adds what it keeps to its results.
void Recorder::settle_side(std::span<const Tensor> results, std::vector<Output>& outputs) {
  if (!regions_.back().branch) return;
  BranchTape& tape = *regions_.back().branch;
  const std::size_t part = regions_.back().part;
  BranchTape::Side& side = tape.sides[part];
  side.call->end_forward();
  require_no_recorded_writes(tape.writes);
  for (const Tensor& result : results) {
    Tensor& computed = side.computed.emplace_back();
    Edge& handed_on = side.handed_on.emplace_back();
    if (!has_gradient(result.dtype()) || eager::node_of(result) == nullptr) continue;
    if (side.call->has_computed(result))
      computed = result;
    else
      handed_on = edge_of(result);
  }
  bool has_custom = false;
  side.outside = side.call->cut(
      side.computed, [](Saved&) {}, has_custom);
  if (has_custom) throw Declined("has a gradient function or a hook of its own in it");
  side.sources = side.call->sources(side.computed);
  const std::vector<Output> given = outputs;
  std::vector<Output> columns;
  for (const SavedValue& value : saved_here(*side.call, side.computed)) {
    BranchTape::Kept& kept = side.kept.emplace_back();
    kept.stand_in = value.tensor;
    const auto result = std::find(given.begin(), given.end(), value.output);
    if (result != given.end()) {
      kept.result = static_cast<int>(result - given.begin());
      continue;
    }
    kept.column = side.columns++;
    columns.push_back(value.output);
  }
  const op::OpDef& row = op::find(op::TurnLog::kMaker);
  outputs.push_back(
      add(row, std::move(columns), op::AttributeList(row.attributes.size()), {op::TurnLog::type()})
          .output());
  std::vector<WantedGradient> wanted;
  for (std::size_t i = 0; i < side.outside.size(); ++i)
    wanted.push_back({i, side.outside[i].node->output_specs[side.outside[i].output]});
  try_walk(*side.call, side.computed, wanted);
  if (part == 0) tape.sides[1].call = std::make_unique<GradientCall>(GradientCall::Role::Part);
}

// A decision of which nothing is kept has no result for that.
void Recorder::drop_empty_log(ir::Node& owner) {
  const BranchTape& tape = *regions_.back().branch;
  if (tape.sides[0].columns + tape.sides[1].columns > 0) return;
  std::vector<op::TensorSpec> types;
  for (std::size_t i = 0; i + 1 < owner.output_count(); ++i) types.push_back(owner.type(i));
  for (const auto& region : owner.regions()) {
    std::vector<Output> results = region->results();
    results.pop_back();
    region->set_results(std::move(results));
  }
  graph_->set_types(owner, std::move(types));
}

void Recorder::attach(BranchTape& tape, std::vector<Tensor>& results) {
  BranchGradient::Tape gradient;
  gradient.condition = Saved(tape.condition);
  const std::size_t count = tape.sides[0].computed.size();
  if (results.size() > count) {
    gradient.log = Saved(results.back());
    results.pop_back();
  }
  std::vector<Edge> edges;
  const auto target_of = [&](const Edge& edge) {
    for (std::size_t i = 0; i < edges.size(); ++i) {
      if (edges[i].node == edge.node && edges[i].output == edge.output) return i;
    }
    edges.push_back(edge);
    gradient.targets.push_back(edge.node->output_specs[edge.output]);
    return edges.size() - 1;
  };
  std::vector<std::size_t> places;  // results that have a gradient
  for (std::size_t i = 0; i < count; ++i) {
    const auto has_one = [&](const BranchTape::Side& side) {
      return side.computed[i].defined() || side.handed_on[i].node;
    };
    if (has_one(tape.sides[0]) || has_one(tape.sides[1])) places.push_back(i);
  }
  if (places.empty()) return;
  for (std::size_t part = 0; part < 2; ++part) {
    BranchTape::Side& from = tape.sides[part];
    BranchGradient::Side& side = gradient.sides[part];
    for (const Edge& edge : from.outside) side.targets.push_back(target_of(edge));
    for (const std::size_t i : places) {
      auto& result = side.results.emplace_back();
      result.computed = from.computed[i];
      if (from.handed_on[i].node) result.handed_on = static_cast<int>(target_of(from.handed_on[i]));
      result.sources = from.sources[i];
    }
    for (const BranchTape::Kept& kept : from.kept) {
      const Saved result =
          kept.result < 0 ? Saved() : Saved(results[static_cast<std::size_t>(kept.result)]);
      side.kept.push_back({kept.stand_in, kept.column, result});
    }
    side.call = std::move(from.call);
  }
  std::vector<Tensor> outputs;
  for (const std::size_t i : places) outputs.push_back(results[i]);
  eager::record_region(std::make_shared<BranchGradient>(std::move(gradient)), std::move(edges),
                       outputs);
}

}  // namespace mycel::capture
