// SPDX-License-Identifier: Apache-2.0
// Stages that choose, order and join rows without looking into them.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "data/pipeline/sampler.h"
#include "data/pipeline/stage.h"

namespace mycel::data {

// A window of `size` rows; every row that leaves is drawn from the window at random.
StagePtr shuffle_stage(StagePtr child, std::int64_t size, std::uint64_t seed, bool same_every_pass);
StagePtr skip_stage(StagePtr child, std::int64_t count);
StagePtr take_stage(StagePtr child, std::int64_t count);
// -1: without end.
StagePtr repeat_stage(StagePtr child, std::int64_t count);
// One after the other. `sizes`: rows of each child; with it a sampler may choose among all rows.
StagePtr concat_stage(std::vector<StagePtr> children, SamplerPtr sampler = nullptr,
                      std::vector<std::int64_t> sizes = {});
// Side by side, up to the end of the shortest.
StagePtr zip_stage(std::vector<StagePtr> children);
StagePtr project_stage(StagePtr child, const Columns& columns);
StagePtr rename_stage(StagePtr child, const Columns& before, const Columns& after);
// Rows for which the function is true. It gets the chosen columns.
using Predicate = std::function<bool(const std::vector<const Item*>& items)>;
StagePtr filter_stage(StagePtr child, const Columns& inputs, Predicate predicate);
// Calls the function before it hands a row on, and may wait in it; not at the end of a pass.
StagePtr gate_stage(StagePtr child, std::function<void()> before_row);

}  // namespace mycel::data
