// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <exception>
#include <utility>

#include "data/pipeline/stage.h"

namespace mycel::data {

// What a pipeline gave.
enum class Pulled : std::uint8_t { Row, EndOfEpoch, EndOfData };

struct Entry {
  Pulled kind = Pulled::Row;
  Row row;
  std::exception_ptr failure;  // instead of all that; nothing comes after it
  bool stopped = false;        // likewise: somebody asked for it
};

struct ProductionOptions {
  std::int64_t epochs = -1;  // -1: without end
  std::int64_t start_epoch = 0;
  std::int64_t start_row = 0;  // rows of the first epoch to pass over
};

// A pipeline as a machine that makes one entry with every step: the rows of an epoch, its end, the
// next epoch, and at last the end of the data or a failure. It knows nothing of threads: whoever
// holds it steps it, one at a time.
class Production {
 public:
  // The engine and the stages are used by step() only, from now on.
  Production(StagePtr root, Engine& engine, const ProductionOptions& options);

  const Stage& root() const { return *root_; }
  // The next entry; what stages throw is in it. Not to be called when it is over.
  Entry step();
  // The last entry was made.
  bool is_over() const { return state_ == State::Over; }

 private:
  enum class State : std::uint8_t { BetweenEpochs, InEpoch, Over };
  void begin_epoch();
  void end_epoch(Entry& entry);

  StagePtr root_;
  Engine& engine_;
  ProductionOptions options_;
  State state_ = State::BetweenEpochs;
};

}  // namespace mycel::data
