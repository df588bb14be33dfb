// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <exception>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "data/pipeline/collate.h"
#include "data/pipeline/job_ring.h"
#include "data/pipeline/stage.h"

namespace mycel::data {

// Which batch of which epoch, for functions of users.
struct BatchNumber {
  std::int64_t epoch = 0;
  std::int64_t batch = 0;
};

// A function of the layer above over all rows of a batch. `columns` holds the rows of the chosen
// columns, one list for each column; what comes back is one list of rows for each new column
// (`stacked` false), or the finished values (`stacked` true).
struct BatchFunctionResult {
  std::vector<Items> columns;
  bool stacked = false;
};
using BatchFunction =
    std::function<BatchFunctionResult(std::vector<Items>& columns, const BatchNumber& number)>;

struct BatchOptions {
  std::int64_t size = 1;
  std::function<std::int64_t(const BatchNumber&)> size_function;  // instead of `size`
  bool drop_remainder = false;
  BatchFunction function;  // before stacking; may be empty
  std::vector<std::string> input_columns;
  std::vector<std::string> output_columns;
  bool serial_function = false;            // calls in the order of batches, on one thread
  std::map<std::string, PadRule> padding;  // by column
  bool pad_all = false;                    // columns without a rule are padded too
  CollateObjects objects;
};

// Rows into batches. Work that is pending in the rows, the copies into the batch and the user's
// function run in the pool; a row's result is written straight to its place where that is possible,
// and a row that comes ready is put there at once, so that no batch is held twice.
class BatchStage : public Stage {
 public:
  BatchStage(StagePtr child, BatchOptions options);
  std::string name() const override;
  void prepare(Engine& engine) override;
  void close() override;
  void begin() override;
  bool next(Row& row) override;
  std::int64_t skip(std::int64_t batches) override;

 private:
  void resolve_columns();
  std::int64_t next_size() const;
  // Begins the next batch; false: there is none.
  bool begin_batch();
  void fill();
  bool is_inline(const std::vector<Row>& rows, std::size_t begin) const;

  BatchOptions options_;
  std::vector<std::size_t> function_inputs_;
  std::vector<std::int64_t> layout_;  // of the result: an old column, or ~k for new column k
  std::unique_ptr<JobRing> ring_;
  SizeEstimate row_bytes_;
  SizeEstimate batch_bytes_;
  BatchNumber number_;
  bool child_ended_ = false;
  std::exception_ptr child_failure_;  // comes after the batches under way
};

// The same for rows that are already together: buckets use it.
Items collate_rows(std::vector<Row>& rows, const Columns& columns, const BatchOptions& options);

}  // namespace mycel::data
