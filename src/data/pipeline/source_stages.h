// SPDX-License-Identifier: Apache-2.0
// The leaves of a pipeline.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "data/pipeline/sampler.h"
#include "data/pipeline/stage.h"
#include "data/source/registry.h"

namespace mycel::data {

// Rows of an indexed source in the order of a sampler. It gives numbers; the rows are loaded later,
// by whoever does the pending work.
class IndexedStage : public Stage {
 public:
  // `in_order`: rows are loaded one after the other, by whoever pulls.
  IndexedStage(std::string name, IndexedSourcePtr source, SamplerPtr sampler,
               bool in_order = false);
  std::string name() const override { return name_; }
  void begin() override;
  bool next(Row& row) override;
  std::int64_t skip(std::int64_t rows) override;
  std::int64_t rows_in_pass() const override { return static_cast<std::int64_t>(order_.size()); }
  void list_sources(std::vector<IndexedSourcePtr>& sources) const override {
    sources.push_back(source_);
  }

 private:
  std::string name_;
  IndexedSourcePtr source_;
  SamplerPtr sampler_;
  std::unique_ptr<RowStep> load_;
  RowNumbers order_;
  std::uint64_t sampled_passes_ = 0;
  std::size_t position_ = 0;
};

struct FileStageOptions {
  std::int64_t limit = 0;      // rows, 0 for all
  bool shuffle_files = false;  // another order of files in every pass
  std::uint32_t seed = 0;
  std::int64_t shards = 1;
  std::int64_t shard = 0;
  bool shard_by_file = false;  // else by equal blocks of rows
};

// Rows of files, in the order of the files, for any number of workers.
class FileStage : public Stage {
 public:
  FileStage(std::string name, FileSourcePtr source, FileStageOptions options);
  std::string name() const override { return name_; }
  void begin() override;
  bool next(Row& row) override;
  std::int64_t skip(std::int64_t rows) override;
  std::int64_t find_rows_in_pass() override;
  // Rows of a pass in this shard.
  static std::int64_t count_rows(const FileSource& source, const FileStageOptions& options);

 private:
  // Rows [begin, end) of one file.
  struct Part {
    std::size_t file = 0;
    std::int64_t begin = 0;
    std::int64_t end = 0;
  };
  std::vector<std::size_t> file_order();
  void deal_parts();
  std::int64_t rows_of_file(std::size_t file);
  std::int64_t rows_of_part();
  bool open_part();
  void close_part();
  bool next_loaded(LoadedRow& loaded);

  std::string name_;
  FileSourcePtr source_;
  FileStageOptions options_;
  std::vector<std::size_t> order_;  // shuffled further with every pass
  std::uint64_t shuffled_passes_ = 0;
  std::mt19937 generator_;
  std::vector<std::int64_t> file_rows_;  // once they were counted; -1 before
  std::vector<Part> parts_;
  std::size_t part_ = 0;
  std::unique_ptr<FileCursor> cursor_;
  std::int64_t left_ = 0;  // of the part
  std::int64_t given_ = 0;
};

}  // namespace mycel::data
