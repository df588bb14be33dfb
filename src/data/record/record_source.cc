// SPDX-License-Identifier: Apache-2.0
#include "data/record/record_source.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <numeric>
#include <random>

#include "data/pipeline/reference_random.h"

namespace mycel::data {

using platform::fail;
using platform::require;

std::shared_ptr<const MindRecordSource> MindRecordSource::open(const Parameters& parameters) {
  const auto text = [&](std::string_view name) {
    return parameters.has(name) ? parameters.string(name) : std::string();
  };
  RecordFiles files;
  files.files = parameters.strings("files");
  files.with_siblings = parameters.has("with_siblings") && parameters.flag("with_siblings");
  files.protection = {text("enc_key"), text("dec_mode"), text("hash_mode")};
  if (parameters.has("plain")) files.plain = parameters.strings("plain");
  const Strings columns = parameters.has("columns") ? parameters.strings("columns") : Strings{};
  return std::make_shared<MindRecordSource>(RowReader(RecordSet::open(files), columns));
}

void MindRecordSource::load(std::int64_t row, LoadedRow& out) const {
  reader_.read(row, out.items);
  std::int64_t own = row;
  out.file = reader_.set().shard_of(own).file();
}

namespace {

// NaN comes after every number.
std::pair<bool, double> numeric_key(const RecordCategory& category) {
  const double value = std::strtod(category.name.c_str(), nullptr);
  return std::isnan(value) ? std::pair(true, 0.0) : std::pair(false, value);
}

}  // namespace

std::vector<std::int64_t> MindRecordSource::classes(const std::string& column) const {
  const auto& index = set().header().index_fields;
  require(std::find(index.begin(), index.end(), column) != index.end(), ErrorKind::Runtime,
          "Invalid data, the column '", column, "' is not an index field of the mindrecord file.");
  std::vector<std::int64_t> result(static_cast<std::size_t>(rows()));
  std::vector<RecordCategory> all = categories(set(), column);
  if (set().schema().find(column)->type != FieldType::String)
    std::sort(all.begin(), all.end(), [](const RecordCategory& a, const RecordCategory& b) {
      return numeric_key(a) < numeric_key(b);
    });
  std::int64_t number = 0;
  for (const RecordCategory& category : all) {
    for (const std::int64_t row : category.rows) result[static_cast<std::size_t>(row)] = number;
    ++number;
  }
  return result;
}

namespace {

IndexedSourcePtr open_mind_record(const Parameters& parameters) {
  return MindRecordSource::open(parameters);
}

MYCEL_SOURCE(MindRecord, open_mind_record);

class PaddedSource : public IndexedSource {
 public:
  PaddedSource(IndexedSourcePtr source, Items sample, std::int64_t count)
      : source_(std::move(source)), sample_(std::move(sample)), count_(count) {}
  std::vector<std::string> columns() const override { return source_->columns(); }
  std::int64_t rows() const override { return source_->rows() + count_; }
  void load(std::int64_t row, LoadedRow& out) const override {
    if (row < source_->rows()) return source_->load(row, out);
    out.items = sample_;
    out.file.clear();
  }
  void check() const override { source_->check(); }
  std::vector<std::int64_t> classes(const std::string& column) const override {
    return source_->classes(column);  // no class has rows that only fill up
  }

 private:
  IndexedSourcePtr source_;
  Items sample_;
  std::int64_t count_;
};

class RecordSampler : public Sampler {
 public:
  explicit RecordSampler(RecordOrder order)
      : order_(std::move(order)), files_(order_.file_rows.size()) {
    require(order_.shards > 0 && order_.shard >= 0 && order_.shard < order_.shards,
            ErrorKind::Runtime, "shard_id must be in range [0, ", order_.shards,
            "), but got: ", order_.shard);
    std::iota(files_.begin(), files_.end(), std::size_t{0});
    rows_of_set_ = std::accumulate(order_.file_rows.begin(), order_.file_rows.end(), order_.padded);
  }
  std::uint64_t global_position(std::uint64_t k) const override {
    return k * static_cast<std::uint64_t>(order_.shards) + static_cast<std::uint64_t>(order_.shard);
  }

 private:
  // Every pass has a generator of its own, and shuffles what the pass before left.
  std::minstd_rand0 generator() const { return std::minstd_rand0(order_.seed + 1 + pass_); }

  RowNumbers pick(std::int64_t rows) override {
    const RowNumbers all = arrange(rows);
    ++pass_;
    const std::int64_t total = static_cast<std::int64_t>(all.size());
    if (total == 0) return {};
    require(order_.padded == 0 || total % order_.shards == 0, ErrorKind::Runtime,
            "Invalid data, the number of rows and padded rows ", total,
            " can not be divisible by the value of 'num_shards': ", order_.shards, ".");
    const std::int64_t each = (total + order_.shards - 1) / order_.shards;
    RowNumbers picked;
    const std::int64_t wanted = order_.limit > 0 ? std::min(order_.limit, each) : each;
    for (std::int64_t k = 0; k < wanted; ++k)
      picked.push_back(all[static_cast<std::size_t>((order_.shard + k * order_.shards) % total)]);
    return picked;
  }

  RowNumbers arrange(std::int64_t rows) {
    if (static_cast<std::int64_t>(rows_.size()) != rows) {
      rows_.resize(static_cast<std::size_t>(rows));
      std::iota(rows_.begin(), rows_.end(), 0);
    }
    require(rows == rows_of_set_, ErrorKind::Runtime, "a set of ", rows_of_set_,
            " rows was expected, but got ", rows);
    std::minstd_rand0 random = generator();
    if (order_.replacement) return draw(rows, random);
    switch (order_.shuffle) {
      case RecordShuffle::None: return rows_;
      case RecordShuffle::Global: shuffle_list(rows_, random); return rows_;
      case RecordShuffle::Files: shuffle_list(files_, random); return rows_of_files(rows);
      case RecordShuffle::WithinFiles: shuffle_within_files(); return rows_;
    }
    return rows_;
  }

  static RowNumbers draw(std::int64_t rows, std::minstd_rand0& random) {
    RowNumbers drawn(static_cast<std::size_t>(rows));
    for (std::int64_t& row : drawn)
      row = static_cast<std::int64_t>(number_below(random, static_cast<std::uint64_t>(rows)));
    return drawn;
  }

  RowNumbers rows_of_files(std::int64_t rows) const {
    std::vector<std::int64_t> begins{0};
    for (const std::int64_t count : order_.file_rows) begins.push_back(begins.back() + count);
    RowNumbers arranged;
    for (const std::size_t file : files_)
      for (std::int64_t row = begins[file]; row < begins[file + 1]; ++row) arranged.push_back(row);
    for (std::int64_t row = begins.back(); row < rows; ++row) arranged.push_back(row);
    return arranged;
  }

  void shuffle_within_files() {
    auto begin = rows_.begin();
    for (const std::int64_t count : order_.file_rows) {
      std::minstd_rand0 random = generator();
      RowNumbers part(begin, begin + count);
      shuffle_list(part, random);
      begin = std::copy(part.begin(), part.end(), begin);
    }
  }

  RecordOrder order_;
  std::vector<std::size_t> files_;  // shuffled further with every pass, as the rows are
  RowNumbers rows_;
  std::int64_t rows_of_set_ = 0;
  std::uint32_t pass_ = 0;
};

}  // namespace

IndexedSourcePtr padded_source(IndexedSourcePtr source, Items sample, std::int64_t count) {
  require(sample.size() == source->columns().size(), ErrorKind::Value, "the padded row has ",
          sample.size(), " columns, but the source has ", source->columns().size());
  return std::make_shared<PaddedSource>(std::move(source), std::move(sample), count);
}

RecordShuffle record_shuffle(std::string_view name) {
  if (name == "global") return RecordShuffle::Global;
  if (name == "files") return RecordShuffle::Files;
  return name == "infile" ? RecordShuffle::WithinFiles : RecordShuffle::None;
}

SamplerPtr record_sampler(const RecordOrder& order) {
  return std::make_shared<RecordSampler>(order);
}

}  // namespace mycel::data
