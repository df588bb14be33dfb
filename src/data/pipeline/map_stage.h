// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "data/pipeline/evaluate_stage.h"
#include "data/pipeline/map_layout.h"
#include "data/pipeline/stage.h"
#include "data/transform/transform.h"

namespace mycel::data {

// Columns a map reads and makes; empty outputs: the inputs again.
struct MapColumns {
  MapColumns(const Columns& before, const Columns& wanted, const Columns& outputs);

  std::vector<std::size_t> inputs;
  Columns input_names;
  std::size_t outputs = 0;
  MapLayout layout;
};

// Puts what a map made in its place. `made` has one item for each output.
void place_outputs(Row& row, const MapColumns& columns, Items made, const std::string& operation);

// Transforms, one after the other; neighbours that can be are joined.
std::unique_ptr<RowStep> transform_step(const MapColumns& columns, ListedTransforms transforms,
                                        std::uint64_t seed);

struct MapOptions {
  std::string name;  // of the operations, for statistics
  BadRows bad_rows = BadRows::Raise;
  bool in_order =
      false;  // one row after the other, by whoever pulls: functions of users may count on it
};

// `step` belongs to the stage afterwards.
StagePtr map_stage(StagePtr child, std::unique_ptr<RowStep> step, const MapColumns& columns,
                   const MapOptions& options);

}  // namespace mycel::data
