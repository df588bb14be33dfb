// SPDX-License-Identifier: Apache-2.0
#include "capture/loop_gradient.h"

#include <algorithm>

#include "capture/loop_walk.h"
#include "capture/recorder.h"
#include "capture/region_values.h"

namespace mycel::capture {

using eager::Saved;

bool LoopGradient::settles(const std::vector<std::vector<bool>>& sources) {
  const std::size_t count = sources.size();
  std::vector<std::vector<bool>> reached = sources;
  for (std::vector<bool>& row : reached) row.resize(count);
  // Sets of slots grow for as many turns as there are slots at most, if they settle at all.
  for (std::size_t turn = 0; turn <= count * count; ++turn) {
    std::vector<std::vector<bool>> further(count, std::vector<bool>(count, false));
    for (std::size_t i = 0; i < count; ++i) {
      for (std::size_t k = 0; k < count; ++k) {
        if (!reached[i][k]) continue;
        for (std::size_t l = 0; l < count; ++l)
          if (sources[k][l]) further[i][l] = true;
      }
    }
    if (further == reached) return true;
    reached = std::move(further);
  }
  return false;
}

std::vector<Tensor> LoopGradient::results_of_turn() const {
  std::vector<Tensor> values;
  for (const Slot& slot : tape_.slots) values.push_back(slot.next);
  for (const Made& made : tape_.made) values.push_back(made.row);
  return values;
}

void LoopGradient::visit_saved(const std::function<void(Saved&)>& visit) {
  const auto is_of_turn = [&](const Saved& saved) {
    return std::any_of(tape_.kept.begin(), tape_.kept.end(), [&](const Kept& kept) {
      return kept.stand_in.body().storage == saved.tensor().body().storage;
    });
  };
  tape_.call->visit_saved(results_of_turn(), [&](Saved& saved) {
    if (!is_of_turn(saved)) visit(saved);
  });
  for (Kept& kept : tape_.kept) {
    if (kept.initial.defined()) visit(kept.initial);
    if (kept.rows.defined()) visit(kept.rows);
  }
  visit(log_);
}

std::vector<Tensor> LoopGradient::backward(std::span<const Tensor> output_gradients,
                                           std::span<const Target> targets) {
  const auto recorded = [&](Recorder& recorder) {
    return LoopWalk(*this, output_gradients, targets).recorded(recorder);
  };
  const auto at_once = [&] { return LoopWalk(*this, output_gradients, targets).turn_by_turn(); };
  return walk_region("loop", recorded, at_once);
}

}  // namespace mycel::capture
