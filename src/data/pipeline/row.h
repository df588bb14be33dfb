// SPDX-License-Identifier: Apache-2.0
// A row on its way through the pipeline: values, or the promise to make them.
#pragma once

#include <cstdint>
#include <exception>
#include <memory>
#include <span>
#include <string>

#include "data/item.h"
#include "data/pipeline/byte_budget.h"
#include "data/transform/transform.h"
#include "platform/inline_vector.h"

namespace mycel::data {

class ColumnSlots;
class RowStep;

// Stages that only choose and order rows (samplers, shuffle, skip, repeat) pass on rows whose work
// is still to be done: `pending` lists it. Threads of the pool do it later, for many rows at a
// time.
struct Row {
  Items items;
  platform::InlineVector<const RowStep*, 4> pending;
  std::shared_ptr<const std::string> file;  // what it was read from; for messages
  std::int64_t index = 0;                   // number of the row in its source
  // Which row of which pass this is, whoever computes it. What is random in a row depends on these
  // two and the seed, on nothing else.
  std::uint64_t pass = 0;
  std::uint64_t ordinal = 0;
  std::exception_ptr failure;  // the row could not be made
  std::size_t bytes = 0;       // of the items, once they are made
  std::size_t peak_bytes = 0;  // most that was needed at once to make them
  Charge charge;               // for as long as the pipeline holds the row
};

// Counts the items, and what was needed while they replaced `before` bytes.
void note_bytes(Row& row, std::size_t before);

// Work on a row: loading it, or the operations of one map.
class RowStep {
 public:
  virtual ~RowStep() = default;
  virtual void run(Row& row, OutputMemory* memory) const = 0;
  // Several rows at once; a step that needs a lock takes it once. Failures stay in their rows.
  // `memories`: one for each row, or empty.
  virtual void run_all(std::span<Row> rows, std::span<OutputMemory* const> memories) const;
  // Writes the values of rows whose only work this is straight into a batch, from row `first` on.
  // False: it cannot.
  // What does not fit the batch, or fails, stays in its row.
  virtual bool fill(std::span<Row> /*rows*/, std::size_t /*first*/,
                    std::span<const std::unique_ptr<ColumnSlots>> /*slots*/) const {
    return false;
  }
  virtual bool uses_python() const { return false; }
  // Another process is asked, so that time is spent waiting: best for many rows at once.
  virtual bool is_remote() const { return false; }
  // The one column that `memory` may be used for, counted after the step; none: -1.
  virtual int output_column() const { return -1; }
};

// Runs whatever is pending in these rows, and counts their bytes.
void evaluate(std::span<Row> rows, std::span<OutputMemory* const> memories = {});

}  // namespace mycel::data
