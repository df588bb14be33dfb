// SPDX-License-Identifier: Apache-2.0
#include "data/pipeline/batch_stage.h"

#include <algorithm>
#include <limits>

#include "data/pipeline/batch_slots.h"
#include "data/pipeline/map_layout.h"
#include "data/pipeline/step_error.h"
#include "data/pipeline/worker_pool.h"

namespace mycel::data {

using platform::fail;

namespace {

constexpr std::size_t kInlineBytes = 1 << 16;     // a batch this small is put together at once
constexpr std::size_t kPartBytes = 1 << 18;       // copies worth handing to another thread
constexpr std::int64_t kMostRowsAhead = 1 << 16;  // places of rows that have not come yet

const PadRule* rule_for(const BatchOptions& options, const std::string& column) {
  static const PadRule pad_to_largest{
      .pad = true, .whole_shape_given = false, .shape = {}, .value = {}};
  const auto found = options.padding.find(column);
  if (found != options.padding.end()) return &found->second;
  return options.pad_all ? &pad_to_largest : nullptr;
}

// A batch of one row that nobody else has needs no copy.
Item with_first_axis(const Item& item) {
  if (!item.is_array()) return {};
  const Tensor& array = item.array();
  const bool is_alone = array.body().owner_count() == 1 && array.storage().owner_count() == 1;
  if (!is_alone || !array.is_contiguous()) return {};
  Shape shape{1};
  for (const std::int64_t length : array.shape()) shape.push_back(length);
  return Tensor::view(array, shape, tensor::contiguous_strides(shape), array.body().offset);
}

Item collate_column(const std::vector<const Item*>& items, const std::string& name,
                    std::size_t number, const BatchOptions& options) {
  const CollateColumn column{name, number};
  const PadRule* rule = rule_for(options, name);
  if (items.size() == 1 && rule == nullptr)
    if (Item whole = with_first_axis(*items[0]); !whole.empty()) return whole;
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
    SizeEstimate& row_bytes;  // to make a row
    SizeEstimate& bytes;      // to make a batch
    ByteBudget& budget;
    std::size_t threads;
  };

  BatchJob(const Plan& plan, BatchNumber number, Charge expected)
      : charge(std::move(expected)), plan_(plan), number_(number) {}

  // Before work begins. `is_limit`: so many rows at most.
  void make_slots(std::size_t count, bool is_limit) {
    if (!stacks_rows()) return;
    for (std::size_t column = 0; column < plan_.columns.size(); ++column)
      slots_.push_back(std::make_unique<ColumnSlots>(count, is_limit));
    whole_ = std::make_unique<std::atomic<bool>[]>(slots_.size());
    for (std::size_t column = 0; column < slots_.size(); ++column) whole_[column] = true;
  }
  bool has_slots() const { return !slots_.empty(); }
  // Rows are only put side by side.
  bool stacks_rows() const {
    return !plan_.options.function && plan_.options.padding.empty() && !plan_.options.pad_all;
  }

  // A few rows at a time, so that they do not all lie beside their places at once.
  void run_part(std::size_t begin, std::size_t end) override {
    while (begin < end) {
      const std::size_t row_bytes = std::max<std::size_t>(plan_.row_bytes.bytes(), 1);
      const std::size_t few =
          plan_.row_bytes.is_known() ? std::max<std::size_t>(kPartBytes / row_bytes, 1) : 1;
      const std::size_t until = slots_.empty() ? end : std::min(end, begin + few);
      run_rows(begin, until);
      begin = until;
    }
  }

  void finish() override {
    for (const Row& row : rows)
      if (row.failure) std::rethrow_exception(row.failure);
    if (plan_.options.function && !plan_.options.serial_function) call_function();
    if (!plan_.options.serial_function || !plan_.options.function) collate();
  }

  // The user's function, where it has to run in order: by whoever pulls, after finish().
  void finish_serial() {
    call_function();
    collate();
  }

  Items result;
  Charge charge;

 private:
  void run_rows(std::size_t begin, std::size_t end) {
    // How many there are may change meanwhile; where they lie does not.
    const std::span<Row> part(rows.data() + begin, end - begin);
    if (!filled(part, begin)) evaluate_into_slots(part, begin);
    for (std::size_t i = begin; i < end; ++i) {
      Row& row = rows[i];
      plan_.row_bytes.note(row.peak_bytes);
      if (row.failure || row.items.empty()) continue;  // failed, or written already
      if (!slots_.empty()) store(i);
      row.charge.set(bytes_of(row.items));
    }
    plan_.budget.note_row(plan_.row_bytes.bytes());
  }

  // Puts the values of a row in their places; those that do not fit stay with the row.
  void store(std::size_t number) {
    Items& items = rows[number].items;
    for (std::size_t column = 0; column < slots_.size(); ++column) {
      if (slots_[column]->store(number, items[column]))
        items[column] = Item();
      else
        whole_[column] = false;
    }
  }

  // Rows of a source that can write straight into the batch need no values of their own.
  bool filled(std::span<Row> part, std::size_t begin) const {
    if (slots_.empty() || part.empty() || part[0].pending.size() != 1) return false;
    const RowStep* load = part[0].pending[0];
    const bool alike = std::ranges::all_of(
        part, [&](const Row& row) { return row.pending.size() == 1 && row.pending[0] == load; });
    if (!alike || !load->fill(part, begin, slots_)) return false;
    for (Row& row : part)
      if (!row.items.empty()) note_bytes(row, 0);
    return true;
  }

  void evaluate_into_slots(std::span<Row> part, std::size_t begin) {
    if (part.empty() || part[0].pending.empty()) return evaluate(part);
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
    try {
      returned_ = plan_.options.function(columns, number_);
    } catch (const StepError& error) {
      std::rethrow_exception(error.with(platform::join(
          "This is batch ", number_.batch, " of epoch ", number_.epoch, ", both from 0.")));
    }
    for (const std::size_t input : plan_.inputs)
      if (std::ranges::count(plan_.layout, static_cast<std::int64_t>(input)) == 0)
        for (Row& row : rows) row.items[input] = Item();
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

  // The value of a row in a column that has no batch: not all values fit.
  const Item& value_of(std::size_t row, std::size_t column) {
    Items& items = rows[row].items;
    if (items.empty()) items.resize(slots_.size());
    if (items[column].empty()) items[column] = slots_[column]->row(row);
    return items[column];
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
        result.push_back(slots_[static_cast<std::size_t>(from)]->batch(rows.size()));
        continue;
      }
      for (std::size_t i = 0; i < rows.size(); ++i)
        items[i] = from < 0 ? &returned_.columns[static_cast<std::size_t>(~from)][i]
                            : &value_of(i, static_cast<std::size_t>(from));
      result.push_back(collate_column(items, plan_.result_columns[place], place, plan_.options));
    }
    settle();
  }

  // The batch is there; what it was made of goes, and its size is known.
  void settle() {
    std::size_t of_rows = 0;
    for (Row& row : rows) {
      of_rows += row.charge.bytes();
      row.items.clear();
      row.charge.release();
    }
    returned_ = {};
    slots_.clear();
    const std::size_t bytes = bytes_of(result);
    charge.set(bytes);
    const std::size_t at_once = std::min(rows.size(), plan_.threads);
    plan_.bytes.note(bytes + of_rows + at_once * plan_.row_bytes.bytes());
  }

  Plan plan_;
  BatchNumber number_;
  std::vector<std::unique_ptr<ColumnSlots>> slots_;
  std::unique_ptr<std::atomic<bool>[]> whole_;
  BatchFunctionResult returned_;
};

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

void BatchStage::close() {
  ring_ = nullptr;
  Stage::close();
}

void BatchStage::begin() {
  ring_->drain();
  child_ended_ = false;
  child_failure_ = nullptr;  // of a row behind those that were wanted
  number_ = {engine().epoch, 0};
  Stage::begin();
}

std::int64_t BatchStage::next_size() const {
  if (!options_.size_function) return options_.size;
  const std::int64_t wanted = options_.size_function(number_);
  if (wanted <= 0)
    fail(ErrorKind::Runtime, "Invalid batch_size function, 'batch_size' function should return an ",
         "integer greater than 0, but got: ", wanted);
  return wanted;
}

// Cheaper than waking a thread.
bool BatchStage::is_inline(const std::vector<Row>& rows, std::size_t begin) const {
  if (child().pending_in_order()) return true;
  if (options_.function) return false;
  if (ring_->is_cheap(rows.size() - begin)) return true;
  std::size_t bytes = 0;
  for (std::size_t i = begin; i < rows.size(); ++i) {
    if (!rows[i].pending.empty()) return false;
    bytes += rows[i].bytes;
  }
  return bytes <= kInlineBytes;
}

// What the reader waits for is charged when it is there: rows that go into it are worked on ahead,
// however large it is.
bool BatchStage::begin_batch() {
  const std::int64_t wanted = next_size();
  const std::size_t threads = engine().pool == nullptr ? 1 : engine().pool->size();
  auto job = std::make_shared<BatchJob>(
      BatchJob::Plan{options_, child().columns(), columns_, function_inputs_, layout_, row_bytes_,
                     batch_bytes_, engine().budget, threads},
      number_, Charge(engine().budget, ring_->size() == 0 ? 0 : batch_bytes_.bytes()));
  std::vector<Row>& rows = job->rows;
  // Where they lie must not change while they are worked on.
  const bool at_once =
      wanted > 1 && wanted <= kMostRowsAhead && job->stacks_rows() && engine().pool != nullptr;
  rows.reserve(static_cast<std::size_t>(std::min(wanted, kMostRowsAhead)));
  std::size_t begin = 0;  // rows before it are in their places, or on the way
  std::size_t ready_bytes = 0;
  while (static_cast<std::int64_t>(rows.size()) < wanted) {
    Row& row = rows.emplace_back();
    if (!next_of_child(row, child_failure_)) {
      rows.pop_back();
      child_ended_ = true;
      break;
    }
    ready_bytes += row.bytes;
    if (!at_once || !row.pending.empty() || ready_bytes < kPartBytes) continue;
    if (!job->has_slots()) job->make_slots(static_cast<std::size_t>(wanted), true);
    ring_->begin_part(job, begin, rows.size());
    begin = rows.size();
    ready_bytes = 0;
  }
  const bool complete = static_cast<std::int64_t>(rows.size()) == wanted;
  if (rows.empty() || child_failure_ || (!complete && options_.drop_remainder)) return false;
  ++number_.batch;
  // With places, parts are under way, and their rows are not looked at from here.
  const auto one_is_ready = [&] { return rows.size() == 1 && rows[0].pending.empty(); };
  if (!job->has_slots() && !one_is_ready()) job->make_slots(rows.size(), false);
  const bool here = is_inline(rows, begin);
  // What a row needs must be known before several are made at once.
  if (!here && !row_bytes_.is_known()) {
    ring_->run_rows(*job, begin, begin + 1);
    ++begin;
  }
  job->row_bytes = row_bytes_.bytes();
  ring_->complete(std::move(job), begin, here);
  return !here;
}

void BatchStage::fill() {
  const auto expected_bytes = [&]() -> std::optional<std::size_t> {
    if (!batch_bytes_.is_known() || !may_work_ahead()) return std::nullopt;
    return batch_bytes_.bytes();
  };
  while (!child_ended_ && ring_->wants_more(expected_bytes()))
    if (!begin_batch()) return;
}

bool BatchStage::next(Row& row) {
  fill();
  if (ring_->size() == 0) {
    if (child_failure_) std::rethrow_exception(child_failure_);
    return false;
  }
  const JobPtr taken = ring_->take();
  auto& job = static_cast<BatchJob&>(*taken);
  if (options_.function && options_.serial_function) job.finish_serial();
  row = Row();
  row.pass = job.rows[0].pass;
  row.ordinal = job.rows[0].ordinal;
  row.index = job.rows[0].index;
  row.file = job.rows[0].file;
  row.items = std::move(job.result);
  row.bytes = job.charge.bytes();
  row.peak_bytes = batch_bytes_.bytes();
  row.charge = std::move(job.charge);
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
