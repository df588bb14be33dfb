// SPDX-License-Identifier: Apache-2.0
#include "data/pipeline/watch_stage.h"

#include <memory>
#include <string>
#include <utility>

#include "data/pipeline/evaluate_stage.h"

namespace mycel::data {

namespace {

class Watch : public Stage {
 public:
  Watch(StagePtr child, Watcher watcher) : Stage({child}), watcher_(std::move(watcher)) {
    columns_ = child->columns();
    inherit_work(*child);
  }
  std::string name() const override { return child().name(); }
  std::int64_t rows_in_pass() const override { return child().rows_in_pass(); }
  void prepare(Engine& engine) override {
    if (watcher_.in_turn) engine.look_ahead = false;
    Stage::prepare(engine);
  }
  std::int64_t skip(std::int64_t rows) override {
    const std::int64_t done = child().skip(rows);
    position_.step_in_epoch += done;
    position_.step += done;
    return done;
  }

 protected:
  void tell(WatchEvent event) const { watcher_.tell(event, position_); }
  // False: this pass is a repetition within the epoch.
  bool begin_epoch() {
    const std::int64_t epoch = engine().epoch + 1;
    if (position_.epoch == epoch) return false;
    position_.epoch = epoch;
    position_.step_in_epoch = 0;
    return true;
  }
  bool step(Row& row, WatchEvent event) {
    if (!child().next(row)) return false;
    ++position_.step_in_epoch;
    ++position_.step;
    if (watcher_.steps) tell(event);
    return true;
  }

 private:
  Watcher watcher_;
  WatchPosition position_;
};

class Begins : public Watch {
 public:
  using Watch::Watch;
  void begin() override {
    if (!told_) tell(WatchEvent::Begin);
    told_ = true;
    if (begin_epoch()) tell(WatchEvent::EpochBegin);
    Watch::begin();
  }
  bool next(Row& row) override { return step(row, WatchEvent::StepBegin); }

 private:
  bool told_ = false;
};

class Ends : public Watch {
 public:
  using Watch::Watch;
  void begin() override {
    begin_epoch();
    Watch::begin();
  }
  bool next(Row& row) override { return step(row, WatchEvent::StepEnd); }
  void end_epoch() override {
    Watch::end_epoch();
    tell(WatchEvent::EpochEnd);
  }
};

}  // namespace

StagePtr watch_begins(StagePtr child, Watcher watcher) {
  return std::make_shared<Begins>(std::move(child), std::move(watcher));
}

StagePtr watch_ends(StagePtr child, Watcher watcher) {
  return std::make_shared<Ends>(evaluated(std::move(child)), std::move(watcher));
}

}  // namespace mycel::data
