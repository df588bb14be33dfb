// SPDX-License-Identifier: Apache-2.0
// Rows of one batch put together, column by column.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "data/item.h"

namespace mycel::data {

// How one column is made equally long. A missing dimension is the largest of the batch.
struct PadRule {
  bool pad = false;
  bool whole_shape_given = false;
  std::vector<std::optional<std::int64_t>> shape;
  std::variant<std::monostate, double, std::string> value;  // nothing: 0 or ""
};

// How objects only the layer above understands become one: it is asked.
using CollateObjects = std::function<Item(const std::vector<const Item*>& items)>;

// One new first axis. `column` is named in messages, by name and number.
struct CollateColumn {
  std::string name;
  std::size_t number = 0;
};
Item stack(const std::vector<const Item*>& items, const CollateColumn& column,
           const CollateObjects& objects);

// Padded at the end, or cut, to the rule's shape; then stacked.
Item stack_padded(const std::vector<const Item*>& items, const PadRule& rule,
                  const CollateColumn& column, const CollateObjects& objects);

// Memory of values, for the accounting of what is held ahead.
std::size_t bytes_of(const Item& item);
std::size_t bytes_of(const Items& items);

}  // namespace mycel::data
