// SPDX-License-Identifier: Apache-2.0
#include "data/pipeline/batch_stage.h"

#include <algorithm>
#include <limits>

#include "data/pipeline/batch_slots.h"
#include "data/pipeline/map_layout.h"

namespace mycel::data {

using platform::fail;

namespace {

constexpr std::size_t kInlineBytes = 1 << 16;  // a batch this small is put together by the driver

const PadRule* rule_for(const BatchOptions& options, const std::string& column) {
  static const PadRule pad_to_largest{
      .pad = true, .whole_shape_given = false, .shape = {}, .value = {}};
  const auto found = options.padding.find(column);
  if (found != options.padding.end()) return &found->second;
  return options.pad_all ? &pad_to_largest : nullptr;
}

Item collate_column(const std::vector<const Item*>& items, const std::string& name,
                    std::size_t number, const BatchOptions& options) {
  const CollateColumn column{name, number};
  const PadRule* rule = rule_for(options, name);
  return rule == nullptr ? stack(items, column, options.objects)
                         : stack_padded(items, *rule, column, options.objects);
}

}  // namespace

Items collate_rows(std::vector<Row>& rows, const Columns& columns, const BatchOptions& options) {
  Items result;
  std::vector<const Item*> items(rows.size());
  for (std::size_t column = 0; column < columns.size(); ++column) {
    for (std::size_t i = 0; i < rows.size(); ++i) items[i] = &rows[i].items[column];
    result.push_back(collate_column(items, columns[column], column, options));
  }
  return result;
}

namespace {

// One batch on its way.
class BatchJob : public Job {
 public:
  struct Plan {
    const BatchOptions& options;
    const Columns& columns;  // of the rows
    const Columns& result_columns;
    const std::vector<std::size_t>& inputs;  // of the function
    const std::vector<std::int64_t>& layout;
  };

  BatchJob(const Plan& plan, BatchNumber number) : plan_(plan), number_(number) {}

  // After the rows are there, before work begins.
  void make_slots() {
    if (plan_.options.function || !plan_.options.padding.empty() || plan_.options.pad_all) return;
    for (std::size_t column = 0; column < plan_.columns.size(); ++column)
      slots_.push_back(std::make_unique<ColumnSlots>(rows.size()));
    whole_ = std::make_unique<std::atomic<bool>[]>(slots_.size());
    for (std::size_t column = 0; column < slots_.size(); ++column) whole_[column] = true;
  }

  void run_part(std::size_t begin, std::size_t end) override {
    const std::span<Row> part = std::span<Row>(rows).subspan(begin, end - begin);
    if (!filled(part, begin)) evaluate_into_slots(part, begin);
    for (std::size_t i = begin; i < end; ++i) {
      if (rows[i].failure || rows[i].items.empty()) continue;  // failed, or written already
      for (std::size_t column = 0; column < slots_.size(); ++column)
        if (!slots_[column]->store(i, rows[i].items[column])) whole_[column] = false;
    }
  }

  void finish() override {
    for (const Row& row : rows)
      if (row.failure) std::rethrow_exception(row.failure);
    if (plan_.options.function && !plan_.options.serial_function) call_function();
    if (!plan_.options.serial_function || !plan_.options.function) collate();
  }

  // The user's function, where it has to run in order: on the driver, after finish().
  void finish_serial() {
    call_function();
    collate();
  }

  Items result;

 private:
  // Rows of a source that can write straight into the batch need no values of their own.
  bool filled(std::span<Row> part, std::size_t begin) const {
    if (slots_.empty() || part.empty() || part[0].pending.size() != 1) return false;
    const RowStep* load = part[0].pending[0];
    const bool alike = std::ranges::all_of(
        part, [&](const Row& row) { return row.pending.size() == 1 && row.pending[0] == load; });
    return alike && load->fill(part, begin, slots_);
  }

  void evaluate_into_slots(std::span<Row> part, std::size_t begin) {
    if (part.empty() || part[0].pending.empty()) return;
    const int column = part[0].pending.back()->output_column();
    const bool usable =
        column >= 0 && static_cast<std::size_t>(column) < slots_.size() &&
        std::ranges::all_of(part, [&](const Row& row) {
          return !row.pending.empty() && row.pending.back() == part[0].pending.back();
        });
    if (!usable) return evaluate(part);
    std::vector<SlotMemory> memories;
    memories.reserve(part.size());
    std::vector<OutputMemory*> pointers;
    for (std::size_t i = 0; i < part.size(); ++i) {
      memories.emplace_back(slots_[static_cast<std::size_t>(column)].get(), begin + i);
      pointers.push_back(&memories.back());
    }
    evaluate(part, pointers);
  }

  void call_function() {
    std::vector<Items> columns;
    for (const std::size_t input : plan_.inputs) {
      Items& values = columns.emplace_back();
      for (Row& row : rows) values.push_back(row.items[input]);
    }
    returned_ = plan_.options.function(columns, number_);
    if (returned_.columns.size() != plan_.options.output_columns.size())
      fail(ErrorKind::Runtime, "Invalid per_batch_map, the number of columns returned in ",
           "'per_batch_map' function should be ", plan_.options.output_columns.size(),
           " , but got: ", returned_.columns.size());
    if (returned_.stacked) return;
    for (std::size_t k = 0; k < returned_.columns.size(); ++k)
      if (returned_.columns[k].size() != rows.size())
        fail(ErrorKind::Runtime, "Invalid data, column: ", plan_.options.output_columns[k],
             " expects: ", rows.size(),
             " rows returned from 'per_batch_map', got: ", returned_.columns[k].size());
  }

  // Rows that were written straight into the batch get values of their own: not all of them fit.
  void give_items() {
    for (std::size_t i = 0; i < rows.size() && !slots_.empty(); ++i)
      if (rows[i].items.empty())
        for (const auto& column : slots_) rows[i].items.push_back(column->row(i));
  }

  void collate() {
    std::vector<const Item*> items(rows.size());
    for (std::size_t place = 0; place < plan_.result_columns.size(); ++place) {
      const std::int64_t from = plan_.layout[place];
      if (from < 0 && returned_.stacked) {
        result.push_back(returned_.columns[static_cast<std::size_t>(~from)][0]);
        continue;
      }
      if (from >= 0 && !slots_.empty() && whole_[static_cast<std::size_t>(from)]) {
        result.push_back(slots_[static_cast<std::size_t>(from)]->batch());
        continue;
      }
      if (from >= 0) give_items();
      for (std::size_t i = 0; i < rows.size(); ++i)
        items[i] = from < 0 ? &returned_.columns[static_cast<std::size_t>(~from)][i]
                            : &rows[i].items[static_cast<std::size_t>(from)];
      result.push_back(collate_column(items, plan_.result_columns[place], place, plan_.options));
    }
  }

  Plan plan_;
  BatchNumber number_;
  std::vector<std::unique_ptr<ColumnSlots>> slots_;
  std::unique_ptr<std::atomic<bool>[]> whole_;
  BatchFunctionResult returned_;
};

bool small_and_ready(const std::vector<Row>& rows) {
  std::size_t bytes = 0;
  for (const Row& row : rows) {
    if (!row.pending.empty()) return false;
    for (const Item& item : row.items) bytes += bytes_of(item);
    if (bytes > kInlineBytes) return false;
  }
  return true;
}

}  // namespace

BatchStage::BatchStage(StagePtr child, BatchOptions options)
    : Stage({child}), options_(std::move(options)) {
  resolve_columns();
  for (const auto& [name, rule] : options_.padding)
    column_index(columns_, name, [](const std::string& column) {
      return "Invalid pad_info, column name: " + column + " does not exist.";
    });
}

void BatchStage::resolve_columns() {
  const Columns& before = child().columns();
  if (!options_.function) {
    columns_ = before;
    for (std::size_t i = 0; i < before.size(); ++i) layout_.push_back(static_cast<std::int64_t>(i));
    return;
  }
  if (options_.input_columns.empty()) options_.input_columns = before;
  if (options_.output_columns.empty()) options_.output_columns = options_.input_columns;
  for (const std::string& name : options_.input_columns)
    function_inputs_.push_back(column_index(before, name, [](const std::string& column) {
      return "Invalid parameter, '" + column +
             "' of 'input_columns' doesn't exist: there is no column of that name.";
    }));
  for (std::size_t i = 0; i < before.size(); ++i)
    if (std::ranges::count(function_inputs_, i) == 0 &&
        std::ranges::count(options_.output_columns, before[i]) > 0)
      fail(ErrorKind::Runtime,
           "Invalid data, columns that are not involved in 'per_batch_map' should ",
           "not be in output_columns, but got: ", before[i]);
  const MapLayout layout(before, function_inputs_, options_.output_columns);
  columns_ = layout.columns;
  layout_ = layout.sources;
}

std::string BatchStage::name() const {
  return options_.padding.empty() && !options_.pad_all ? "Batch" : "PaddedBatch";
}

void BatchStage::prepare(Engine& engine) {
  Stage::prepare(engine);
  ring_ = std::make_unique<JobRing>(
      engine, activity(child().pending() ? child().name() + ", " + name() : name()));
}

void BatchStage::begin() {
  ring_->drain();
  child_ended_ = false;
  number_ = {engine().epoch, 0};
  Stage::begin();
}

bool BatchStage::pull(std::vector<Row>& rows) {
  std::int64_t wanted = options_.size;
  if (options_.size_function) {
    wanted = options_.size_function(number_);
    if (wanted <= 0)
      fail(ErrorKind::Runtime,
           "Invalid batch_size function, 'batch_size' function should return an ",
           "integer greater than 0, but got: ", wanted);
  }
  rows.reserve(static_cast<std::size_t>(std::min<std::int64_t>(wanted, 4096)));
  while (static_cast<std::int64_t>(rows.size()) < wanted) {
    rows.emplace_back();
    if (child().next(rows.back())) continue;
    rows.pop_back();
    child_ended_ = true;
    break;
  }
  const bool complete = static_cast<std::int64_t>(rows.size()) == wanted;
  return !rows.empty() && (complete || !options_.drop_remainder);
}

void BatchStage::fill() {
  while (!child_ended_ && ring_->wants_more()) {
    const BatchJob::Plan plan{options_, child().columns(), columns_, function_inputs_, layout_};
    auto job = std::make_shared<BatchJob>(plan, number_);
    if (!pull(job->rows)) return;
    ++number_.batch;
    job->make_slots();
    const bool driver =
        child().pending_in_order() ||
        (!options_.function && (small_and_ready(job->rows) || ring_->is_cheap(job->rows.size())));
    ring_->submit(std::move(job), driver);
    if (driver) return;
  }
}

bool BatchStage::next(Row& row) {
  fill();
  if (ring_->size() == 0) return false;
  const JobPtr taken = ring_->take();
  auto& job = static_cast<BatchJob&>(*taken);
  if (options_.function && options_.serial_function) job.finish_serial();
  row = Row();
  row.pass = job.rows[0].pass;
  row.ordinal = job.rows[0].ordinal;
  row.file = job.rows[0].file;
  row.items = std::move(job.result);
  return true;
}

std::int64_t BatchStage::skip(std::int64_t batches) {
  // Batches of one size are passed over without being made.
  if (options_.size_function || ring_->size() > 0) return Stage::skip(batches);
  batches = std::min(batches, std::numeric_limits<std::int64_t>::max() / options_.size);
  const std::int64_t rows = child().skip(batches * options_.size);
  std::int64_t done = rows / options_.size;
  if (rows % options_.size != 0) {
    child_ended_ = true;
    if (!options_.drop_remainder) ++done;
  }
  number_.batch += done;
  return done;
}

}  // namespace mycel::data
