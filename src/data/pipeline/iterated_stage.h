// SPDX-License-Identifier: Apache-2.0
// Rows that come one after the other from outside the pipeline.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "data/pipeline/stage.h"

namespace mycel::data {

// Who gives them. Called by the thread that pulls.
class RowIteration {
 public:
  virtual ~RowIteration() = default;
  virtual void begin() = 0;                  // a new pass
  virtual bool next(Items& items) = 0;       // false: there is none left
  virtual void end(std::uint64_t rows) = 0;  // of a pass, after so many; may throw
  virtual void stop() = 0;                   // the pass is not gone on with
  // Held while some rows are read, and not for long: a lock that each call would take again.
  virtual std::shared_ptr<void> hold() const { return nullptr; }
};

StagePtr iterated_stage(std::string name, Columns columns, std::unique_ptr<RowIteration> rows);

}  // namespace mycel::data
