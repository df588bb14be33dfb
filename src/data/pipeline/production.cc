// SPDX-License-Identifier: Apache-2.0
#include "data/pipeline/production.h"

#include <limits>

namespace mycel::data {

Production::Production(StagePtr root, Engine& engine, const ProductionOptions& options)
    : root_(std::move(root)), engine_(engine), options_(options) {
  root_->prepare(engine_);
}

void Production::begin_epoch() {
  // Epochs before the first one wanted are passed over: orders depend on those before them.
  engine_.passing = true;
  for (; engine_.epoch < options_.start_epoch; ++engine_.epoch) {
    root_->begin();
    root_->skip(std::numeric_limits<std::int64_t>::max());
  }
  const bool is_first = engine_.epoch == options_.start_epoch;
  engine_.passing = is_first && options_.start_row > 0;
  root_->begin();
  if (engine_.passing) root_->skip(options_.start_row);
  engine_.passing = false;
}

void Production::end_epoch(Entry& entry) {
  root_->end_epoch();
  root_->check_sources();  // the last rows, too, were those of the files
  const bool is_last = options_.epochs >= 0 && engine_.epoch + 1 >= options_.epochs;
  entry.kind = is_last ? Pulled::EndOfData : Pulled::EndOfEpoch;
  state_ = is_last ? State::Over : State::BetweenEpochs;
  ++engine_.epoch;
}

Entry Production::step() {
  Entry entry;
  try {
    if (engine_.stop.stop_requested()) throw Stopped();
    if (state_ == State::BetweenEpochs) begin_epoch();
    state_ = State::InEpoch;
    if (!root_->next(entry.row)) end_epoch(entry);
    return entry;
  } catch (const Stopped&) {
    entry.stopped = true;
  } catch (const Interruption& interruption) {
    entry.failure = interruption.reason;
  } catch (...) {
    entry.failure = std::current_exception();
  }
  entry.row = Row();
  state_ = State::Over;
  return entry;
}

}  // namespace mycel::data
