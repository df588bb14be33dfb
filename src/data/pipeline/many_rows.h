// SPDX-License-Identifier: Apache-2.0
// What asks another process for its result: one question for many rows costs little more than one
// for a single row. Transforms and sources may also be one of these.
#pragma once

#include <cstdint>
#include <exception>
#include <span>

#include "data/item.h"
#include "data/transform/transform.h"

namespace mycel::data {

class ManyRowTransform {
 public:
  virtual ~ManyRowTransform() = default;
  // Replaces the items of every row. `random`: one for each row. A row that cannot be made leaves
  // its exception in `failures`.
  virtual void apply_all(std::span<Items> rows, std::span<RowRandom> random,
                         std::span<std::exception_ptr> failures) const = 0;
};

class ManyRowSource {
 public:
  virtual ~ManyRowSource() = default;
  virtual void load_all(std::span<const std::int64_t> rows, std::span<Items> items,
                        std::span<std::exception_ptr> failures) const = 0;
};

}  // namespace mycel::data
