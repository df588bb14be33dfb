// SPDX-License-Identifier: Apache-2.0
#include "data/pipeline/source_stages.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>

#include "data/pipeline/batch_slots.h"
#include "data/pipeline/many_rows.h"
#include "data/pipeline/reference_random.h"
#include "data/pipeline/step_error.h"

namespace mycel::data {

using platform::fail;

namespace {

std::shared_ptr<const std::string> shared_name(std::string& file) {
  if (file.empty()) return nullptr;
  return std::make_shared<const std::string>(std::move(file));
}

class LoadStep : public RowStep {
 public:
  LoadStep(const std::string& name, IndexedSourcePtr source)
      : operation_(name + ": loading a row"),
        source_(std::move(source)),
        remote_(dynamic_cast<const ManyRowSource*>(source_.get())),
        fixed_(source_->fixed_columns()) {}
  void run(Row& row, OutputMemory*) const override {
    LoadedRow loaded;
    try {
      source_->load(row.index, loaded);
    } catch (...) {
      row.file = shared_name(loaded.file);
      rethrow_located(operation_, row);
    }
    row.items = std::move(loaded.items);
    row.file = shared_name(loaded.file);
  }
  void run_all(std::span<Row> rows, std::span<OutputMemory* const> memories) const override {
    if (remote_ != nullptr) return ask(rows);
    const std::shared_ptr<void> held = source_->hold();
    RowStep::run_all(rows, memories);
  }
  bool fill(std::span<Row> rows, std::size_t first,
            std::span<const std::unique_ptr<ColumnSlots>> slots) const override {
    if (source_->writes_into_batches()) {
      write(rows, first, slots);
      return true;
    }
    if (fixed_.size() != slots.size() || fixed_.empty()) return false;
    for (std::size_t column = 0; column < slots.size(); ++column) {
      const auto& [dtype, shape] = fixed_[column];
      const Tensor place = slots[column]->place(first, dtype, shape);
      auto* to = static_cast<char*>(place.raw());
      const std::size_t bytes = place.bytes();
      for (std::size_t i = 0; i < rows.size(); ++i, to += bytes)
        source_->copy_value(rows[i].index, column, to);
    }
    return true;
  }
  bool uses_python() const override { return source_->uses_python(); }
  bool is_remote() const override { return remote_ != nullptr; }

 private:
  void write(std::span<Row> rows, std::size_t first,
             std::span<const std::unique_ptr<ColumnSlots>> slots) const {
    const std::shared_ptr<void> held = source_->hold();
    LoadedRow loaded;
    for (std::size_t i = 0; i < rows.size(); ++i) try {
        SlotSink sink(slots, first + i);
        if (!source_->load_into(rows[i].index, sink, loaded))
          rows[i].items = std::exchange(loaded.items, {});
      } catch (...) {
        rows[i].failure = located(std::current_exception(), operation_, rows[i]);
      }
  }

  void ask(std::span<Row> rows) const {
    std::vector<std::int64_t> numbers;
    for (const Row& row : rows) numbers.push_back(row.index);
    std::vector<Items> made(rows.size());
    std::vector<std::exception_ptr> failures(rows.size());
    remote_->load_all(numbers, made, failures);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      rows[i].items = std::move(made[i]);
      if (failures[i]) rows[i].failure = located(failures[i], operation_, rows[i]);
    }
  }

  std::string operation_;  // for messages
  IndexedSourcePtr source_;
  const ManyRowSource* remote_;  // the source, when it is one of these
  std::vector<IndexedSource::FixedColumn> fixed_;
};

}  // namespace

IndexedStage::IndexedStage(std::string name, IndexedSourcePtr source, SamplerPtr sampler,
                           bool in_order)
    : Stage({}),
      name_(std::move(name)),
      source_(std::move(source)),
      sampler_(std::move(sampler)),
      load_(std::make_unique<LoadStep>(name_, source_)) {
  columns_ = source_->columns();
  pending_ = true;
  pending_python_ = source_->uses_python();
  pending_in_order_ = in_order;
  calls_users_in_order_ = in_order;
}

void IndexedStage::begin() {
  Stage::begin();
  // Samplers go from pass to pass.
  do order_ = sampler_->next_pass(source_->rows());
  while (++sampled_passes_ <= pass());
  position_ = 0;
}

bool IndexedStage::next(Row& row) {
  if (position_ == order_.size()) return false;
  row.items.clear();
  row.bytes = row.peak_bytes = 0;
  row.pending.clear();
  row.pending.push_back(load_.get());
  row.index = order_[position_];
  row.pass = pass();
  row.ordinal = sampler_->global_position(position_++);
  return true;
}

std::int64_t IndexedStage::skip(std::int64_t rows) {
  const auto done =
      std::min<std::int64_t>(rows, static_cast<std::int64_t>(order_.size() - position_));
  position_ += static_cast<std::size_t>(done);
  return done;
}

FileStage::FileStage(std::string name, FileSourcePtr source, FileStageOptions options)
    : Stage({}),
      name_(std::move(name)),
      source_(std::move(source)),
      options_(options),
      generator_(options.seed) {
  columns_ = source_->columns();
  if (options_.shard_by_file && options_.shards > 1 &&
      static_cast<std::int64_t>(source_->files().size()) < options_.shards)
    fail(ErrorKind::Runtime,
         "Invalid file, numbers of tfrecord file should not less than num_shards, ",
         "got files: ", source_->files().size(), ", num_shards: ", options_.shards);
}

std::vector<std::size_t> FileStage::file_order() {
  if (order_.empty()) {
    order_.resize(source_->files().size());
    std::iota(order_.begin(), order_.end(), std::size_t{0});
  }
  for (; options_.shuffle_files && shuffled_passes_ <= pass(); ++shuffled_passes_) {
    // All shards must agree on the order of files, whatever their own seeds are.
    if (options_.shards > 1) generator_.seed(static_cast<std::uint32_t>(shuffled_passes_ + 1));
    shuffle_list(order_, generator_);
  }
  return order_;
}

std::int64_t FileStage::rows_of_file(std::size_t file) {
  if (file_rows_.empty()) file_rows_.assign(source_->files().size(), -1);
  if (file_rows_[file] < 0) file_rows_[file] = source_->count_rows(file);
  return file_rows_[file];
}

void FileStage::deal_parts() {
  constexpr std::int64_t all = std::numeric_limits<std::int64_t>::max();
  parts_.clear();
  const std::vector<std::size_t> files = file_order();
  if (options_.shards <= 1) {
    for (const std::size_t file : files) parts_.push_back({file, 0, all});
  } else if (options_.shard_by_file) {
    for (std::size_t i = 0; i < files.size(); ++i)
      if (static_cast<std::int64_t>(i) % options_.shards == options_.shard)
        parts_.push_back({files[i], 0, all});
  } else {
    std::vector<std::int64_t> counts;
    for (const std::size_t file : files) counts.push_back(rows_of_file(file));
    const std::int64_t total = std::accumulate(counts.begin(), counts.end(), std::int64_t{0});
    const std::int64_t each = (total + options_.shards - 1) / options_.shards;
    std::int64_t begin = options_.shard * each;
    std::int64_t wanted = total == 0 ? 0 : each;
    // The last block goes on with the first rows, so that all shards are equally long.
    while (wanted > 0) {
      std::int64_t first = 0;
      for (std::size_t i = 0; i < files.size() && wanted > 0; ++i) {
        const std::int64_t from = std::max<std::int64_t>(begin - first, 0);
        const std::int64_t rows = std::min(counts[i] - from, wanted);
        if (rows > 0) {
          parts_.push_back({files[i], from, from + rows});
          wanted -= rows;
          begin += rows;
        }
        first += counts[i];
      }
      begin = begin >= total ? begin - total : begin;
    }
  }
}

void FileStage::begin() {
  Stage::begin();
  deal_parts();
  part_ = 0;
  cursor_.reset();
  given_ = 0;
}

// False behind the last part.
bool FileStage::open_part() {
  if (cursor_ != nullptr) return true;
  if (part_ == parts_.size()) return false;
  const Part& part = parts_[part_];
  cursor_ = source_->open(part.file);
  left_ = part.end - part.begin;
  if (part.begin > 0) cursor_->skip(part.begin);
  return true;
}

void FileStage::close_part() {
  cursor_.reset();
  ++part_;
}

bool FileStage::next_loaded(LoadedRow& loaded) {
  for (; open_part(); close_part()) {
    if (left_ == 0 || !cursor_->next(loaded)) continue;
    --left_;
    return true;
  }
  return false;
}

std::int64_t FileStage::find_rows_in_pass() {
  std::int64_t rows = 0;
  for (const Part& part : parts_) rows += std::min(part.end, rows_of_file(part.file)) - part.begin;
  return options_.limit > 0 ? std::min(rows, options_.limit) : rows;
}

// Of the one that comes next, where they were counted before; else more than there can be.
std::int64_t FileStage::rows_of_part() {
  constexpr std::int64_t unknown = std::numeric_limits<std::int64_t>::max();
  const Part& part = parts_[part_];
  if (file_rows_.empty() || file_rows_[part.file] < 0) return unknown;
  return std::min(part.end, file_rows_[part.file]) - part.begin;
}

// Rows that nobody gets are looked for in the files, not made; whole files are not even opened when
// it is known how many they hold.
std::int64_t FileStage::skip(std::int64_t rows) {
  if (options_.limit > 0) rows = std::min(rows, options_.limit - given_);
  std::int64_t done = 0;
  while (done < rows && part_ < parts_.size()) {
    if (cursor_ == nullptr && rows_of_part() <= rows - done) {
      done += rows_of_part();
      ++part_;
      continue;
    }
    open_part();
    const std::int64_t wanted = std::min(rows - done, left_);
    const std::int64_t passed = cursor_->skip(wanted);
    done += passed;
    left_ -= passed;
    if (passed < wanted || left_ == 0) close_part();
  }
  given_ += done;
  return done;
}

bool FileStage::next(Row& row) {
  if (options_.limit > 0 && given_ == options_.limit) return false;
  row = Row();
  row.index = given_;
  row.pass = pass();
  LoadedRow loaded;
  try {
    if (!next_loaded(loaded)) return false;
  } catch (...) {
    rethrow_located(name_ + ": reading a row", row);
  }
  row.items = std::move(loaded.items);
  row.file = shared_name(loaded.file);
  row.ordinal = static_cast<std::uint64_t>(given_ * options_.shards + options_.shard);
  charge(row);
  ++given_;
  return true;
}

std::int64_t FileStage::count_rows(const FileSource& source, const FileStageOptions& options) {
  std::int64_t total = 0;
  for (std::size_t file = 0; file < source.files().size(); ++file) {
    const bool mine = !options.shard_by_file || options.shards <= 1 ||
                      static_cast<std::int64_t>(file) % options.shards == options.shard;
    if (mine) total += source.count_rows(file);
  }
  if (options.shards > 1 && !options.shard_by_file)
    total = (total + options.shards - 1) / options.shards;
  return options.limit > 0 ? std::min(total, options.limit) : total;
}

}  // namespace mycel::data
