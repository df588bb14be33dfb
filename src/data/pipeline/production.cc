// SPDX-License-Identifier: Apache-2.0
#include "data/pipeline/production.h"

#include <limits>

#include "data/source/source.h"

namespace mycel::data {

namespace {

constexpr std::uint64_t kStepsBetweenLooks = 64;  // at the clock
constexpr std::chrono::milliseconds kBetweenChecks{100};

}  // namespace

Production::Production(StagePtr root, Engine& engine, const ProductionOptions& options)
    : root_(std::move(root)), engine_(engine), options_(options) {
  root_->prepare(engine_);
  root_->list_sources(sources_);
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
  check_sources();  // after the last row, too
  const bool is_last = options_.epochs >= 0 && engine_.epoch + 1 >= options_.epochs;
  entry.row = Row();  // stages may have used it
  entry.kind = is_last ? Pulled::EndOfData : Pulled::EndOfEpoch;
  state_ = is_last ? State::Over : State::BetweenEpochs;
  ++engine_.epoch;
}

void Production::check_sources() const {
  for (const auto& source : sources_) source->check();
}

// Asking costs a call of the system for every file.
void Production::check_sources_sometimes() {
  const auto now = std::chrono::steady_clock::now();
  if (now - checked_at_ < kBetweenChecks) return;
  check_sources();
  checked_at_ = now;
}

Entry Production::step() {
  Entry entry;
  try {
    if (engine_.stop.stop_requested()) throw Stopped();
    if (state_ == State::BetweenEpochs) begin_epoch();
    state_ = State::InEpoch;
    if (!root_->next(entry.row))
      end_epoch(entry);
    else if (++steps_ % kStepsBetweenLooks == 0)
      check_sources_sometimes();
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
