// SPDX-License-Identifier: Apache-2.0
// MindRecord rows for the pipeline.
#pragma once

#include <cstdint>
#include <memory>

#include "data/pipeline/sampler.h"
#include "data/record/record_set.h"
#include "data/source/registry.h"

namespace mycel::data {

class MindRecordSource : public IndexedSource {
 public:
  explicit MindRecordSource(RowReader reader) : reader_(std::move(reader)) {}
  // As the registry makes it: files, with_siblings, columns, enc_key, dec_mode, hash_mode, plain.
  static std::shared_ptr<const MindRecordSource> open(const Parameters& parameters);

  const RecordSet& set() const { return reader_.set(); }
  const RowReader& reader() const { return reader_; }
  std::vector<std::string> columns() const override { return reader_.columns(); }
  std::int64_t rows() const override { return reader_.set().rows(); }
  void load(std::int64_t row, LoadedRow& out) const override;
  void check() const override { set().check(); }
  // A number for each different value of the column, in the order of the values.
  std::vector<std::int64_t> classes(const std::string& column) const override;

 private:
  RowReader reader_;
};

// A source that goes on with `count` copies of one row.
IndexedSourcePtr padded_source(IndexedSourcePtr source, Items sample, std::int64_t count);

enum class RecordShuffle : std::uint8_t { None, Global, Files, WithinFiles };

// As users name them: "global", "files", "infile"; any other word is no shuffling.
RecordShuffle record_shuffle(std::string_view name);

// The orders of MindDataset.
struct RecordOrder {
  RecordShuffle shuffle = RecordShuffle::Global;
  std::vector<std::int64_t> file_rows;  // of every file, in order
  std::int64_t padded = 0;              // rows after those of the files
  std::uint32_t seed = 0;
  std::int64_t shards = 1;
  std::int64_t shard = 0;
  std::int64_t limit = 0;    // rows of a pass and shard; 0 for all
  bool replacement = false;  // rows are drawn, and may come again
};
SamplerPtr record_sampler(const RecordOrder& order);

}  // namespace mycel::data
