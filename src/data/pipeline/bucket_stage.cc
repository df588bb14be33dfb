// SPDX-License-Identifier: Apache-2.0
#include "data/pipeline/bucket_stage.h"

#include <algorithm>

#include "data/pipeline/evaluate_stage.h"
#include "data/pipeline/step_error.h"

namespace mycel::data {

using platform::fail;

namespace {

class Bucket : public Stage {
 public:
  Bucket(StagePtr child, BucketOptions options) : Stage({child}), options_(std::move(options)) {
    columns_ = child->columns();
    for (const std::string& column : options_.length_columns)
      length_columns_.push_back(column_index(columns_, column, [](const std::string& name) {
        return "Invalid parameter, column name: " + name +
               " does not exist in the dataset columns.";
      }));
  }
  std::string name() const override { return "BucketBatchByLength"; }

  void begin() override {
    Stage::begin();
    buckets_.assign(options_.sizes.size(), {});
    draining_ = 0;
    ended_ = false;
  }

  void close() override {
    buckets_.clear();
    Stage::close();
  }

  bool next(Row& row) override {
    while (!ended_) {
      Row made;
      if (!child().next(made)) {
        ended_ = true;
        break;
      }
      const std::size_t bucket = bucket_of(made);
      made.charge.release();  // buckets are what the user asked for, not work ahead
      buckets_[bucket].push_back(std::move(made));
      if (static_cast<std::int64_t>(buckets_[bucket].size()) == options_.sizes[bucket])
        return give(bucket, row);
    }
    if (options_.batch.drop_remainder) return false;
    while (draining_ < buckets_.size() && buckets_[draining_].empty()) ++draining_;
    return draining_ < buckets_.size() && give(draining_, row);
  }

 private:
  std::size_t bucket_of(const Row& row) const {
    std::vector<const Item*> items;
    for (const std::size_t column : length_columns_) items.push_back(&row.items[column]);
    std::int64_t length = 0;
    if (options_.length) {
      try {
        length = options_.length(items);
      } catch (...) {
        rethrow_located("element_length_function", row);
      }
    } else {
      const Shape& shape = items[0]->shape();
      length = shape.empty() ? 1 : shape[0];
    }
    if (length < 0)
      fail(ErrorKind::Runtime,
           "Invalid element_length_function, element_length_function must return ",
           "an integer greater than or equal to 0, but got: ", length);
    const auto above = std::ranges::upper_bound(options_.boundaries, length);
    return static_cast<std::size_t>(above - options_.boundaries.begin());
  }

  bool give(std::size_t bucket, Row& row) {
    std::vector<Row> rows;
    rows.swap(buckets_[bucket]);
    BatchOptions batch = options_.batch;
    if (options_.pad_to_boundary) pad_to_boundary(bucket, rows[0], batch);
    row = Row();
    row.pass = rows[0].pass;
    row.ordinal = rows[0].ordinal;
    row.items = collate_rows(rows, columns_, batch);
    charge(row);
    return true;
  }

  // Dimensions without a length of their own get one less than the bucket's upper boundary.
  void pad_to_boundary(std::size_t bucket, const Row& first, BatchOptions& batch) const {
    if (bucket >= options_.boundaries.size())
      fail(ErrorKind::Runtime,
           "Invalid data, requested to pad to bucket boundary failed, bucket index ",
           "should be less than ", options_.boundaries.size(), ", but got ", bucket, ".");
    const std::int64_t length = options_.boundaries[bucket] - 1;
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      PadRule& rule = batch.padding[columns_[i]];
      const bool named = rule.pad;
      if (!named && !batch.pad_all) continue;
      rule.pad = true;
      if (!rule.whole_shape_given) rule.shape.assign(first.items[i].shape().size(), std::nullopt);
      rule.whole_shape_given = true;
      for (auto& dimension : rule.shape)
        if (!dimension) dimension = length;
    }
  }

  BucketOptions options_;
  std::vector<std::size_t> length_columns_;
  std::vector<std::vector<Row>> buckets_;
  std::size_t draining_ = 0;
  bool ended_ = false;
};

}  // namespace

StagePtr bucket_stage(StagePtr child, BucketOptions options) {
  return std::make_shared<Bucket>(evaluated(std::move(child)), std::move(options));
}

}  // namespace mycel::data
