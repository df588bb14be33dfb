// SPDX-License-Identifier: Apache-2.0
#include "capture/recipe_sizes.h"

#include <algorithm>
#include <array>
#include <map>

namespace mycel::capture {

namespace {

constexpr std::size_t kSamples = 6;    // that are looked for
constexpr std::size_t kAttempts = 12;  // some sizes a program does not take
constexpr std::size_t kMostMet = 4;    // sizes that open no further axis tell little

bool is_open(const std::vector<RecipeSizes::Arguments>& met, std::size_t i, std::size_t axis) {
  return std::ranges::any_of(met, [&](const RecipeSizes::Arguments& each) {
    return each[i].shape[axis] != met[0][i].shape[axis];
  });
}

bool opens_an_axis(const std::vector<RecipeSizes::Arguments>& met,
                   const RecipeSizes::Arguments& other) {
  for (std::size_t i = 0; i < other.size(); ++i) {
    for (std::size_t axis = 0; axis < other[i].shape.size(); ++axis) {
      if (other[i].shape[axis] != met[0][i].shape[axis] && !is_open(met, i, axis)) return true;
    }
  }
  return false;
}

bool is_of_arguments(const SizeExpression& size, std::size_t count) {
  if (size.operation == ir::SizeOperation::Length) return size.value < count;
  return (!size.a || is_of_arguments(*size.a, count)) &&
         (!size.b || is_of_arguments(*size.b, count));
}

}  // namespace

RecipeSizes::RecipeSizes(const Script& script, Arguments base) : base_(std::move(base)) {
  met_.push_back(base_);
  for (const ScriptStep& step : script.steps) {
    const auto* required = std::get_if<step::Require>(&step.action);
    if (required == nullptr || !is_of_arguments(*required->a, base_.size()) ||
        !is_of_arguments(*required->b, base_.size()))
      continue;
    const SizeComparison how = required->outcome ? required->how : opposite(required->how);
    relations_.push_back({required->a, how, required->b});
  }
}

std::vector<RecipeSizes::Arguments> RecipeSizes::probes(const std::vector<Arguments>& met) {
  // What is added to the lengths of a group of axes, another row for each.
  constexpr std::array<std::int64_t, 11> kMore = {1, 2, 3, 5, 7, 11, 13, 17, 19, 23, 29};
  std::map<std::vector<std::int64_t>, std::size_t> groups;  // by the lengths that were met
  std::vector<Arguments> found(kAttempts, met[0]);
  for (std::size_t i = 0; i < met[0].size(); ++i) {
    for (std::size_t axis = 0; axis < met[0][i].shape.size(); ++axis) {
      if (!is_open(met, i, axis)) continue;
      std::vector<std::int64_t> lengths;
      for (const Arguments& each : met) lengths.push_back(each[i].shape[axis]);
      const std::size_t group = groups.try_emplace(lengths, groups.size()).first->second;
      for (std::size_t k = 1; k < found.size(); ++k) {
        // Multiples of four in the second half: a program may ask for even lengths.
        const std::int64_t step = k > found.size() / 2 ? 4 : 1;
        found[k][i].shape[axis] += step * kMore[(k * (2 * group + 3) + group) % kMore.size()];
      }
    }
  }
  return found;
}

void RecipeSizes::learn(std::span<const Arguments> others, const Draft& draft) {
  std::vector<Arguments> met;
  {
    const std::lock_guard lock(mutex_);
    bool has_opened = false;
    for (const Arguments& other : others) {
      const bool opens = opens_an_axis(met_, other);
      if (opens || met_.size() < kMostMet) met_.push_back(other);
      has_opened |= opens;
    }
    if (!has_opened) return;
    met = met_;
  }
  std::vector<std::unique_ptr<ir::Graph>> graphs;
  for (const Arguments& each : probes(met)) {
    if (graphs.size() == kSamples) break;
    if (std::unique_ptr<ir::Graph> graph = draft(each)) graphs.push_back(std::move(graph));
  }
  std::vector<const ir::Graph*> samples;
  for (const auto& graph : graphs) samples.push_back(graph.get());
  std::optional<ir::SizeTable> table = ir::SizeTable::explain(samples);
  const std::lock_guard lock(mutex_);
  table_ = table ? std::make_shared<const ir::SizeTable>(*std::move(table)) : nullptr;
}

void RecipeSizes::describe(ir::Graph& graph, std::span<const int> arguments) const {
  std::shared_ptr<const ir::SizeTable> table;
  {
    const std::lock_guard lock(mutex_);
    table = table_;
  }
  if (!table) return;
  table->fill(graph);
  const auto in_graph = [&](std::size_t value, std::size_t axis) -> SizeRef {
    const auto found = std::ranges::find(arguments, static_cast<int>(value));
    if (found == arguments.end()) return nullptr;
    const auto number = static_cast<std::size_t>(found - arguments.begin());
    const auto& sizes = graph.body().arguments()[number]->facts().sizes;
    return axis < sizes.size() ? sizes[axis] : nullptr;
  };
  std::vector<ir::SizeRelation> relations;
  for (const ir::SizeRelation& relation : relations_) {
    SizeRef a = with_lengths(relation.a, in_graph);
    SizeRef b = with_lengths(relation.b, in_graph);
    // Between numbers there is nothing to tell.
    if (a && b && (has_lengths(*a) || has_lengths(*b)))
      relations.push_back({std::move(a), relation.how, std::move(b)});
  }
  graph.set_relations(std::move(relations));
}

}  // namespace mycel::capture
