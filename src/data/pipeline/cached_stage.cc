// SPDX-License-Identifier: Apache-2.0
#include "data/pipeline/cached_stage.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <utility>

#include "data/pipeline/batch_slots.h"
#include "data/pipeline/step_error.h"

namespace mycel::data {

namespace {

using RowCachePtr = std::shared_ptr<RowCache>;
using Work = platform::InlineVector<const RowStep*, 4>;

// What becomes of a row that the cache does not hold.
enum class Missing : std::uint8_t { Make, Fail };

std::string_view file_name(const Row& row) {
  return row.file == nullptr ? std::string_view() : std::string_view(*row.file);
}

class CachedStep : public RowStep {
 public:
  CachedStep(RowCachePtr cache, const Columns& columns, Work work, Missing missing)
      : cache_(std::move(cache)), columns_(columns), work_(std::move(work)), missing_(missing) {}

  bool replaces(const Work& work) const { return std::ranges::equal(work_, work); }

  void run(Row& row, OutputMemory* memory) const override {
    run_all({&row, 1}, {&memory, memory == nullptr ? 0U : 1U});
    if (row.failure) std::rethrow_exception(std::exchange(row.failure, nullptr));
  }

  void run_all(std::span<Row> rows, std::span<OutputMemory* const>) const override {
    each_found(rows, [](std::size_t, Row& row, const RowCache::Found& found) {
      row.items = found.row.items(found.owner);
      if (!found.row.file().empty())
        row.file = std::make_shared<const std::string>(found.row.file());
    });
  }

  bool fill(std::span<Row> rows, std::size_t first,
            std::span<const std::unique_ptr<ColumnSlots>> slots) const override {
    each_found(rows, [&](std::size_t i, Row& row, const RowCache::Found& found) {
      SlotSink sink(slots, first + i);
      if (!copy_to(found.row, sink)) row.items = found.row.items(found.owner);
    });
    return true;
  }

  bool uses_python() const override {
    return std::ranges::any_of(work_, [](const RowStep* step) { return step->uses_python(); });
  }
  bool is_remote() const override {
    return std::ranges::any_of(work_, [](const RowStep* step) { return step->is_remote(); });
  }

 private:
  template <class Use>
  void each_found(std::span<Row> rows, const Use& use) const {
    std::vector<std::size_t> missing;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      if (rows[i].failure) continue;
      try {
        if (const std::optional<RowCache::Found> found = cache_->find(rows[i].index))
          use(i, rows[i], *found);
        else
          missing.push_back(i);
      } catch (...) {
        rows[i].failure = std::current_exception();
      }
    }
    if (!missing.empty()) make(rows, missing);
  }

  static bool copy_to(const RowReader& row, SlotSink& sink) {
    for (std::size_t column = 0; column < row.size(); ++column) {
      const RowReader::Value& value = row.value(column);
      if (value.kind != RowReader::Kind::Array) return false;
      void* const place = sink.place(column, value.dtype, value.shape);
      if (place == nullptr) return false;
      if (!value.payload.empty()) std::memcpy(place, value.payload.data(), value.payload.size());
    }
    return true;
  }

  // Has the work done that this step stands for, and offers what comes of it.
  void make(std::span<Row> rows, const std::vector<std::size_t>& missing) const {
    if (missing_ == Missing::Fail) return note_gone(rows, missing);
    const Work pending = rows[missing[0]].pending;  // of all of them: they are one group
    std::vector<Row> made;
    made.reserve(missing.size());
    for (const std::size_t i : missing) made.push_back(std::move(rows[i]));
    for (Row& row : made) row.pending = work_;
    evaluate(made);
    offer(made);
    for (std::size_t k = 0; k < missing.size(); ++k) {
      made[k].pending = pending;
      rows[missing[k]] = std::move(made[k]);
    }
  }

  void offer(std::span<Row> made) const {
    RowEncoder encoder;
    for (Row& row : made) {
      if (row.failure || !cache_->takes_rows()) continue;
      try {
        cache_->offer(row.index, encoder.encode(row.items, file_name(row), columns_));
      } catch (...) {
        row.failure = std::current_exception();
      }
    }
  }

  static void note_gone(std::span<Row> rows, const std::vector<std::size_t>& missing) {
    for (const std::size_t i : missing)
      rows[i].failure = std::make_exception_ptr(platform::Error(
          ErrorKind::Runtime,
          platform::join("The cache does not hold row ", rows[i].index, " any more.")));
  }

  RowCachePtr cache_;
  Columns columns_;
  Work work_;
  Missing missing_;
};

class Cached : public Stage {
 public:
  Cached(const StagePtr& child, RowCachePtr cache) : Stage({child}), cache_(std::move(cache)) {
    columns_ = child->columns();
    inherit_work(*child);
    pending_ = true;
  }
  std::string name() const override { return child().name() + ", Cache"; }
  bool next(Row& row) override {
    if (!child().next(row)) return false;
    const RowStep* const step = step_for(row.pending);
    row.pending.clear();
    row.pending.push_back(step);
    cache_->announce(row.index, announced_);
    return true;
  }
  std::int64_t skip(std::int64_t rows) override { return child().skip(rows); }
  std::int64_t rows_in_pass() const override { return child().rows_in_pass(); }

 private:
  // Nearly always the one that was made for the first row.
  const RowStep* step_for(const Work& work) {
    for (const std::unique_ptr<CachedStep>& step : steps_)
      if (step->replaces(work)) return step.get();
    steps_.push_back(std::make_unique<CachedStep>(cache_, columns_, work, Missing::Make));
    return steps_.back().get();
  }

  RowCachePtr cache_;
  std::vector<std::unique_ptr<CachedStep>> steps_;
  std::vector<std::uint64_t> announced_;
};

class CachedStream : public Stage {
 public:
  CachedStream(StagePtr child, RowCachePtr cache, SamplerPtr sampler)
      : Stage({std::move(child)}), cache_(std::move(cache)), sampler_(std::move(sampler)) {
    columns_ = Stage::child().columns();
    pending_ = true;
    step_ = std::make_unique<CachedStep>(cache_, columns_, Work(), Missing::Fail);
  }
  std::string name() const override { return child().name() + ", Cache"; }
  // The child has one pass, which is not the reader's.
  void number_pass(std::uint64_t number) override { number_own_pass(number); }
  void end_epoch() override {}

  void begin() override {
    advance_pass();
    if (!is_built_) build();
    // Samplers go from pass to pass.
    do order_ = sampler_->next_pass(cache_->row_count());
    while (++sampled_passes_ <= pass());
    position_ = 0;
  }

  bool next(Row& row) override {
    if (position_ == order_.size()) return false;
    row = Row();
    row.pending.push_back(step_.get());
    row.index = order_[position_];
    row.pass = pass();
    row.ordinal = sampler_->global_position(position_++);
    cache_->announce(row.index, announced_);
    return true;
  }

  std::int64_t skip(std::int64_t rows) override {
    const auto left = static_cast<std::int64_t>(order_.size() - position_);
    const std::int64_t done = std::min(rows, left);
    position_ += static_cast<std::size_t>(done);
    return done;
  }
  std::int64_t rows_in_pass() const override { return static_cast<std::int64_t>(order_.size()); }

 private:
  void build() {
    Row row;
    RowEncoder encoder;
    auto looked_at = std::chrono::steady_clock::now();
    const auto next_row = [&]() -> std::optional<std::span<const Bytes>> {
      if (const auto now = std::chrono::steady_clock::now(); now - looked_at >= kAttendInterval) {
        engine().look_after_signals();
        looked_at = now;
      }
      if (engine().stop.stop_requested()) throw Stopped();
      if (!child().next(row)) return std::nullopt;
      return encoder.encode(row.items, file_name(row), columns_);
    };
    cache_->build(
        engine().stop, [this] { engine().look_after_signals(); }, [this] { child().begin(); },
        next_row);
    is_built_ = true;
  }

  RowCachePtr cache_;
  SamplerPtr sampler_;
  std::unique_ptr<RowStep> step_;
  bool is_built_ = false;
  RowNumbers order_;
  std::uint64_t sampled_passes_ = 0;
  std::size_t position_ = 0;
  std::vector<std::uint64_t> announced_;
};

}  // namespace

StagePtr cached_stage(StagePtr child, RowCachePtr cache, const CachedOptions& options) {
  auto stage = std::make_shared<Cached>(child, std::move(cache));
  if (options.bad_rows == BadRows::Raise && !options.in_order) return stage;
  return std::make_shared<EvaluateStage>(std::move(stage), options.bad_rows, options.in_order);
}

StagePtr cached_stream_stage(StagePtr child, RowCachePtr cache, SamplerPtr sampler) {
  return std::make_shared<CachedStream>(evaluated(std::move(child)), std::move(cache),
                                        std::move(sampler));
}

}  // namespace mycel::data
