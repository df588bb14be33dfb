// SPDX-License-Identifier: Apache-2.0
#include "data/pipeline/evaluate_stage.h"

#include <algorithm>

#include "platform/log/log.h"

namespace mycel::data {

namespace {

class EvaluateJob : public Job {
 public:
  EvaluateJob(SizeEstimate& row_bytes, ByteBudget& budget)
      : row_bytes_(row_bytes), budget_(budget) {}
  void run_part(std::size_t begin, std::size_t end) override {
    const std::span<Row> part = std::span<Row>(rows).subspan(begin, end - begin);
    evaluate(part);
    for (Row& row : part) {
      row.charge.set(row.bytes);
      row_bytes_.note(row.peak_bytes);
    }
    budget_.note_row(row_bytes_.bytes());
  }

 private:
  SizeEstimate& row_bytes_;
  ByteBudget& budget_;
};

}  // namespace

EvaluateStage::EvaluateStage(StagePtr child, BadRows bad_rows, bool in_order)
    : Stage({child}), bad_rows_(bad_rows), in_order_(in_order) {
  columns_ = child->columns();
  calls_users_in_order_ = calls_users_in_order_ || in_order;
}

void EvaluateStage::prepare(Engine& engine) {
  Stage::prepare(engine);
  ring_ = std::make_unique<JobRing>(engine, activity(name()));
}

void EvaluateStage::close() {
  ring_ = nullptr;
  current_ = nullptr;
  ready_.clear();
  Stage::close();
}

void EvaluateStage::begin() {
  ring_->drain();
  current_ = nullptr;
  child_ended_ = ended_ = false;
  child_failure_ = nullptr;  // of a row behind those that were wanted
  replacements_.clear();
  ready_.clear();
  Stage::begin();
}

std::optional<std::size_t> EvaluateStage::expected_bytes() const {
  if (!row_bytes_.is_known()) return std::nullopt;
  return row_bytes_.bytes() * ring_->rows_per_task(row_bytes_.bytes());
}

void EvaluateStage::fill() {
  const bool one_job = in_order_ || !may_work_ahead();
  while (!child_ended_ && (one_job ? ring_->size() == 0 : ring_->wants_more(expected_bytes()))) {
    auto job = std::make_shared<EvaluateJob>(row_bytes_, engine().budget);
    const std::size_t wanted = may_work_ahead() ? ring_->rows_per_task(row_bytes_.bytes()) : 1;
    job->rows.reserve(wanted);
    while (job->rows.size() < wanted) {
      Row& row = job->rows.emplace_back();
      if (next_of_child(row, child_failure_)) {
        row.charge.add(Charge(engine().budget, row_bytes_.bytes()));
        continue;
      }
      job->rows.pop_back();
      child_ended_ = true;
      break;
    }
    if (job->rows.empty()) return;
    const bool here = in_order_ || ring_->is_cheap(8 * job->rows.size());
    ring_->submit(std::move(job), here);
    if (here) return;
  }
}

// Rows that are not wanted are not made, unless a bad one among them would not have counted.
std::int64_t EvaluateStage::skip(std::int64_t rows) {
  const bool fresh = ring_->size() == 0 && current_ == nullptr;
  return fresh && bad_rows_ == BadRows::Raise ? child().skip(rows) : Stage::skip(rows);
}

bool EvaluateStage::next_evaluated(Row& row) {
  while (current_ == nullptr || position_ == current_->rows.size()) {
    fill();
    if (ring_->size() == 0) {
      if (child_failure_) std::rethrow_exception(child_failure_);
      return false;
    }
    current_ = ring_->take();
    position_ = 0;
  }
  row = std::move(current_->rows[position_++]);
  return true;
}

void EvaluateStage::note_bad(const Row& row) {
  constexpr std::size_t kNamed = 20;
  if (++bad_count_ == 1) {
    try {
      std::rethrow_exception(row.failure);
    } catch (const std::exception& failure) {
      first_reason_ = failure.what();
    } catch (...) {
      first_reason_ = "unknown";
    }
  }
  if (row.file != nullptr && bad_files_.size() < kNamed) bad_files_.insert(*row.file);
}

void EvaluateStage::report_bad() {
  if (bad_count_ == 0) return;
  std::string files;
  for (const std::string& file : bad_files_) files += "\n  " + file;
  platform::log_warning("Rows of a dataset could not be made: ", bad_count_, " were ",
                        bad_rows_ == BadRows::Skip ? "skipped" : "replaced",
                        ". The first reason: ", first_reason_,
                        files.empty() ? "" : "\nThe first files:", files);
  bad_count_ = 0;
  bad_files_.clear();
}

bool EvaluateStage::next(Row& row) {
  if (bad_rows_ == BadRows::Replace) return next_with_replacements(row);
  while (next_evaluated(row)) {
    if (!row.failure) return true;
    if (bad_rows_ == BadRows::Raise) std::rethrow_exception(row.failure);
    note_bad(row);
  }
  report_bad();
  return false;
}

bool EvaluateStage::next_with_replacements(Row& row) {
  while (ready_.empty()) {
    if (ended_) return false;
    Row made;
    if (!next_evaluated(made)) {
      ended_ = true;
      report_bad();
      replacements_.end(ready_);
    } else if (made.failure) {
      note_bad(made);
      replacements_.bad(ready_);
    } else {
      replacements_.good(std::move(made), ready_);
    }
  }
  row = std::move(ready_.front());
  ready_.pop_front();
  return true;
}

StagePtr evaluated(StagePtr stage) {
  if (!stage->pending()) return stage;
  const bool in_order = stage->pending_in_order();
  return std::make_shared<EvaluateStage>(std::move(stage), BadRows::Raise, in_order);
}

}  // namespace mycel::data
