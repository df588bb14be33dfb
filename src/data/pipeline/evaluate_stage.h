// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <set>
#include <string>

#include "data/pipeline/job_ring.h"
#include "data/pipeline/replacements.h"
#include "data/pipeline/stage.h"

namespace mycel::data {

// What happens to a row that could not be made.
enum class BadRows : std::uint8_t { Raise, Replace, Skip };

// Has the pending work of rows done by the pool, some rows ahead, and passes them on in order.
class EvaluateStage : public Stage {
 public:
  // `in_order`: by whoever pulls, row after row.
  explicit EvaluateStage(StagePtr child, BadRows bad_rows = BadRows::Raise, bool in_order = false);
  std::string name() const override { return child().name(); }
  void prepare(Engine& engine) override;
  void close() override;
  void begin() override;
  bool next(Row& row) override;
  std::int64_t skip(std::int64_t rows) override;
  std::int64_t rows_in_pass() const override {
    return bad_rows_ == BadRows::Skip ? -1 : child().rows_in_pass();
  }

 private:
  void fill();
  std::optional<std::size_t> expected_bytes() const;
  bool next_evaluated(Row& row);
  bool next_with_replacements(Row& row);
  void note_bad(const Row& row);
  void report_bad();

  BadRows bad_rows_;
  bool in_order_;
  std::unique_ptr<JobRing> ring_;
  SizeEstimate row_bytes_;
  JobPtr current_;
  std::size_t position_ = 0;
  bool child_ended_ = false;
  std::exception_ptr child_failure_;  // comes after the rows under way
  Replacements replacements_;
  std::deque<Row> ready_;  // rows that replacements have put in front
  bool ended_ = false;
  std::size_t bad_count_ = 0;  // of this pass
  std::set<std::string> bad_files_;
  std::string first_reason_;
};

// `stage`, with nothing left to do in its rows.
StagePtr evaluated(StagePtr stage);

}  // namespace mycel::data
