// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "data/pipeline/stage.h"

namespace mycel::data {

// Where columns lie after a function replaced some of them. As many outputs as inputs: each takes
// the place of its input. Otherwise the outputs come first and the untouched columns follow in
// order.
struct MapLayout {
  MapLayout(const Columns& before, const std::vector<std::size_t>& inputs, const Columns& outputs);

  Columns columns;
  std::vector<std::int64_t> sources;  // an old column, or ~k for output k
};

}  // namespace mycel::data
