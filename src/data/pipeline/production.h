// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <exception>
#include <memory>
#include <utility>
#include <vector>

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
  ~Production() { root_->close(); }
  Production(const Production&) = delete;
  Production& operator=(const Production&) = delete;

  const std::vector<std::shared_ptr<const IndexedSource>>& sources() const { return sources_; }
  // The next entry; what stages throw is in it. Not to be called when it is over.
  Entry step();
  // The last entry was made.
  bool is_over() const { return state_ == State::Over; }

 private:
  enum class State : std::uint8_t { BetweenEpochs, InEpoch, Over };
  void begin_epoch();
  void end_epoch(Entry& entry);
  void check_sources() const;
  void check_sources_sometimes();

  StagePtr root_;
  std::vector<std::shared_ptr<const IndexedSource>> sources_;
  Engine& engine_;
  ProductionOptions options_;
  State state_ = State::BetweenEpochs;
  std::uint64_t steps_ = 0;
  std::chrono::steady_clock::time_point checked_at_ = std::chrono::steady_clock::now();
};

}  // namespace mycel::data
