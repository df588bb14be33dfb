// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "data/item.h"

namespace mycel::data {

// Columns of a source that a user wrote, which may give anything; `types` are checked where they
// are given. All mistakes are RuntimeErrors.
struct SourceColumns {
  std::vector<std::string> names;
  std::vector<std::string> types;

  void require_count(std::size_t given) const;
  void require_type(std::size_t column, const Item& item) const;
  void require(const Items& row) const;
};

// A value that is no data; `place`: where it stands in its row, nothing where it is the row.
[[noreturn]] void refuse_value(std::optional<std::size_t> place);

}  // namespace mycel::data
