// SPDX-License-Identifier: Apache-2.0
#include "capture/branch_gradient.h"

#include <algorithm>

#include "capture/recorder.h"
#include "capture/region_values.h"
#include "eager/dispatch.h"

namespace mycel::capture {

using eager::GradientCall;
using eager::Saved;

namespace {

std::vector<Tensor> computed_results(const BranchGradient::Side& side) {
  std::vector<Tensor> results;
  for (const auto& result : side.results) {
    if (result.computed.defined()) results.push_back(result.computed);
  }
  return results;
}

}  // namespace

void BranchGradient::visit_saved(const std::function<void(Saved&)>& visit) {
  visit(tape_.condition);
  if (tape_.log.defined()) visit(tape_.log);
  for (Side& side : tape_.sides) {
    side.call->visit_saved(computed_results(side), [&](Saved& saved) {
      const bool is_of_side =
          std::any_of(side.kept.begin(), side.kept.end(), [&](const Kept& kept) {
            return kept.stand_in.body().storage == saved.tensor().body().storage;
          });
      if (!is_of_side) visit(saved);
    });
    for (Kept& kept : side.kept) {
      if (kept.result.defined()) visit(kept.result);
    }
  }
}

// Lets the tape of a side see the values that the side had.
void BranchGradient::lend(const Side& side, Recorder* recorder) const {
  for (const Kept& kept : side.kept) {
    const Tensor content =
        kept.result.defined()
            ? kept.result.content()
            : kept_value(tape_.log.content(), eager::number_tensor(std::int64_t{0}), kept.column,
                         {kept.stand_in.dtype(), kept.stand_in.shape(), false});
    capture::lend(recorder, kept.stand_in, content);
  }
}

BranchGradient::Gradients BranchGradient::walked(const Side& side, Recorder* recorder,
                                                 std::span<const Tensor> output_gradients,
                                                 std::span<const Target> targets) const {
  Gradients gradients(targets.size());
  for (std::size_t i = 0; i < targets.size(); ++i) {
    if (targets[i].is_wanted && targets[i].same_as == i) gradients[i] = targets[i].found;
  }
  std::vector<Tensor> outputs, seeds;
  for (std::size_t i = side.results.size(); i-- > 0;) {
    const Side::Result& result = side.results[i];
    if (!output_gradients[i].defined()) continue;
    if (result.computed.defined()) {
      outputs.push_back(result.computed);
      seeds.push_back(output_gradients[i]);
    }
    if (result.handed_on < 0) continue;
    const Target& target = targets[static_cast<std::size_t>(result.handed_on)];
    if (!target.is_wanted) continue;
    Tensor& gradient = gradients[target.same_as];
    gradient = gradient.defined() ? (value_of(gradient) + value_of(output_gradients[i])).tensor()
                                  : output_gradients[i];
  }
  if (outputs.empty()) return gradients;
  std::vector<GradientCall::Start> starts(side.targets.size());
  std::vector<int> receivers(targets.size(), -1);  // watched values
  for (std::size_t i = 0; i < starts.size(); ++i) {
    const Target& target = targets[side.targets[i]];
    starts[i].is_wanted = target.is_wanted;
    if (!target.is_wanted) continue;
    int& receiver = receivers[target.same_as];
    if (receiver >= 0) {
      starts[i].joined = receiver;
      continue;
    }
    receiver = static_cast<int>(i);
    starts[i].gradient = gradients[target.same_as];
  }
  lend(side, recorder);
  const std::vector<Tensor> found = side.call->walk(outputs, seeds, starts);
  for (std::size_t i = 0; i < targets.size(); ++i) {
    if (receivers[i] >= 0) gradients[i] = found[static_cast<std::size_t>(receivers[i])];
  }
  if (recorder == nullptr) {
    for (const Kept& kept : side.kept) take_back(kept.stand_in);
  }
  return gradients;
}

std::vector<std::size_t> BranchGradient::reached(std::span<const Tensor> output_gradients,
                                                 std::span<const Target> targets) const {
  std::vector<bool> is_reached(targets.size(), false);
  const auto reach = [&](std::size_t place) {
    if (targets[place].is_wanted) is_reached[targets[place].same_as] = true;
  };
  for (const Side& side : tape_.sides) {
    for (std::size_t i = 0; i < side.results.size(); ++i) {
      if (!output_gradients[i].defined()) continue;
      const Side::Result& result = side.results[i];
      if (result.handed_on >= 0) reach(static_cast<std::size_t>(result.handed_on));
      for (std::size_t k = 0; k < side.targets.size(); ++k) {
        if (result.sources[k]) reach(side.targets[k]);
      }
    }
  }
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < targets.size(); ++i) {
    if (is_reached[i]) places.push_back(i);
  }
  return places;
}

BranchGradient::Gradients BranchGradient::recorded(Recorder& recorder,
                                                   std::span<const Tensor> output_gradients,
                                                   std::span<const Target> targets) const {
  Gradients gradients(targets.size());
  const std::vector<std::size_t> places = reached(output_gradients, targets);
  if (places.empty()) return gradients;
  const Tensor condition = tape_.condition.content();
  const auto results_of = [&](const Side& side) {
    const Gradients found = walked(side, &recorder, output_gradients, targets);
    std::vector<Tensor> results;
    for (const std::size_t place : places) {
      const auto zeros = [&] {
        const Tensor truth =
            called("cast", {value_of(condition)}, {{"dtype", tensor::DType::Bool}});
        const Tensor one = called("reshape", {value_of(truth)}, {{"shape", tensor::IntList{}}});
        return stretched(called("not_equal", {value_of(one), value_of(one)}), tape_.targets[place]);
      };
      results.push_back(found[place].defined() ? found[place] : zeros());
    }
    return results;
  };
  recorder.begin_branch(condition);
  recorder.begin_other_branch(results_of(tape_.sides[0]));
  const std::vector<Tensor> results = recorder.end_branch(results_of(tape_.sides[1]));
  for (std::size_t i = 0; i < places.size(); ++i) gradients[places[i]] = results[i];
  return gradients;
}

std::vector<Tensor> BranchGradient::backward(std::span<const Tensor> output_gradients,
                                             std::span<const Target> targets) {
  return walk_region(
      "decision", [&](Recorder& recorder) { return recorded(recorder, output_gradients, targets); },
      [&] {
        const bool taken = tape_.condition.content().as_double() != 0;
        return walked(tape_.sides[taken ? 0 : 1], nullptr, output_gradients, targets);
      });
}

}  // namespace mycel::capture
