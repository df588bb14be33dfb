// SPDX-License-Identifier: Apache-2.0
#include "data/pipeline/map_layout.h"

#include <algorithm>

namespace mycel::data {

MapLayout::MapLayout(const Columns& before, const std::vector<std::size_t>& inputs,
                     const Columns& outputs) {
  const auto is_output = [&](const std::string& name) {
    return std::ranges::count(outputs, name) > 0;
  };
  const auto input_number = [&](std::size_t column) {
    return std::ranges::find(inputs, column) - inputs.begin();
  };
  const bool in_place = inputs.size() == outputs.size();
  if (!in_place)
    for (std::size_t k = 0; k < outputs.size(); ++k) {
      columns.push_back(outputs[k]);
      sources.push_back(~static_cast<std::int64_t>(k));
    }
  for (std::size_t column = 0; column < before.size(); ++column) {
    const auto k = static_cast<std::size_t>(input_number(column));
    if (k < inputs.size()) {
      if (!in_place) continue;
      columns.push_back(outputs[k]);
      sources.push_back(~static_cast<std::int64_t>(k));
    } else if (!is_output(before[column])) {  // an output of that name takes over
      columns.push_back(before[column]);
      sources.push_back(static_cast<std::int64_t>(column));
    }
  }
}

}  // namespace mycel::data
