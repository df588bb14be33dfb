// SPDX-License-Identifier: Apache-2.0
#include "data/pipeline/iterated_stage.h"

#include <chrono>
#include <deque>
#include <utility>

#include "data/pipeline/step_error.h"

namespace mycel::data {

namespace {

constexpr std::size_t kMostAhead = 256;
constexpr std::chrono::milliseconds kLongestRead{1};

class IteratedStage : public Stage {
 public:
  IteratedStage(std::string name, Columns columns, std::unique_ptr<RowIteration> rows)
      : Stage({}), name_(std::move(name)), source_(std::move(rows)) {
    columns_ = std::move(columns);
    calls_users_in_order_ = true;
  }
  std::string name() const override { return name_; }

  void prepare(Engine& engine) override {
    Stage::prepare(engine);
    activity_ = activity(name());
  }

  void begin() override {
    Stage::begin();
    given_ = 0;
    read_ = 0;
    rows_.clear();
    failure_ = nullptr;
    ended_ = false;
    source_->begin();
  }

  void close() override {
    rows_.clear();
    source_->stop();
    Stage::close();
  }

  bool next(Row& row) override {
    if (rows_.empty()) read();
    if (rows_.empty()) {
      if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
      return false;
    }
    row = std::move(rows_.front());
    rows_.pop_front();
    row.index = static_cast<std::int64_t>(given_);
    row.pass = pass();
    row.ordinal = given_++;
    return true;
  }

 private:
  void read() {
    if (ended_) return;
    const auto started = std::chrono::steady_clock::now();
    const auto until = started + kLongestRead;
    const std::shared_ptr<void> hold = source_->hold();
    try {
      do {
        Items items;
        if (!source_->next(items)) {
          ended_ = true;
          source_->end(read_);
          break;
        }
        rows_.emplace_back().items = std::move(items);
        charge(rows_.back());
        ++read_;
      } while (engine().look_ahead && rows_.size() < kMostAhead && !engine().budget.is_full() &&
               std::chrono::steady_clock::now() < until);
    } catch (...) {  // after the rows before it
      ended_ = true;
      Row row;
      row.index = static_cast<std::int64_t>(read_);
      row.pass = pass();
      failure_ = located(std::current_exception(), name_ + ": reading a row", row);
    }
    activity_->rows = read_;
    activity_->busy_ns += static_cast<std::uint64_t>(
        std::chrono::nanoseconds(std::chrono::steady_clock::now() - started).count());
  }

  std::string name_;
  std::unique_ptr<RowIteration> source_;
  std::deque<Row> rows_;  // read already
  std::uint64_t given_ = 0;
  std::uint64_t read_ = 0;
  bool ended_ = false;
  std::exception_ptr failure_;
  ActivityPtr activity_;
};

}  // namespace

StagePtr iterated_stage(std::string name, Columns columns, std::unique_ptr<RowIteration> rows) {
  return std::make_shared<IteratedStage>(std::move(name), std::move(columns), std::move(rows));
}

}  // namespace mycel::data
