// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "data/source/registry.h"

namespace mycel::data {

// A column in memory: an array whose first axis counts the rows, or one value for each row.
using MemoryColumn = std::variant<Tensor, Items>;

IndexedSourcePtr array_source(std::vector<std::string> names, std::vector<MemoryColumn> columns);

}  // namespace mycel::data
