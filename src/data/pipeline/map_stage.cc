// SPDX-License-Identifier: Apache-2.0
#include "data/pipeline/map_stage.h"

#include <algorithm>

#include "data/pipeline/collate.h"
#include "data/pipeline/many_rows.h"
#include "data/pipeline/step_error.h"

namespace mycel::data {

using platform::Error;
using platform::fail;

namespace {

std::vector<std::size_t> resolve(const Columns& before, const Columns& inputs) {
  std::vector<std::size_t> places;
  if (inputs.empty() && !before.empty()) return {0};
  for (const std::string& name : inputs)
    places.push_back(column_index(before, name, [](const std::string& column) {
      return "Invalid parameter, input column name: " + column +
             " doesn't exist in the dataset columns.";
    }));
  return places;
}

Columns names_of(const Columns& before, const std::vector<std::size_t>& places) {
  Columns names;
  for (const std::size_t place : places) names.push_back(before[place]);
  return names;
}

class TransformStep : public RowStep {
 public:
  TransformStep(MapColumns columns, ListedTransforms transforms, std::uint64_t seed)
      : columns_(std::move(columns)),
        transforms_(join_neighbours(std::move(transforms))),
        seed_(seed) {
    if (columns_.outputs == 1)
      for (std::size_t place = 0; place < columns_.layout.sources.size(); ++place)
        if (columns_.layout.sources[place] == ~std::int64_t{0}) output_ = static_cast<int>(place);
  }

  void run(Row& row, OutputMemory* memory) const override {
    Items items = inputs_of(row);
    for (std::size_t k = 0; k < transforms_.size(); ++k) {
      apply(k, row, items, memory);
    }
    place_outputs(row, columns_, std::move(items), transforms_.back().transform->name());
  }

  void run_all(std::span<Row> rows, std::span<OutputMemory* const> memories) const override {
    if (is_remote()) return run_with_questions(rows, memories);
    std::shared_ptr<void> held;
    if (std::ranges::all_of(transforms_, is_python)) held = transforms_[0].transform->hold();
    RowStep::run_all(rows, memories);
  }

  bool uses_python() const override { return std::ranges::any_of(transforms_, is_python); }

  bool is_remote() const override {
    return std::ranges::any_of(transforms_, [](const ListedTransform& t) { return many_rows(t); });
  }
  int output_column() const override { return output_; }

 private:
  static bool is_python(const ListedTransform& one) { return one.transform->uses_python(); }
  static const ManyRowTransform* many_rows(const ListedTransform& one) {
    return dynamic_cast<const ManyRowTransform*>(one.transform.get());
  }
  Items inputs_of(const Row& row) const {
    Items items;
    for (const std::size_t input : columns_.inputs) items.push_back(row.items[input]);
    return items;
  }
  RowStreams streams_of(const Row& row) const {
    return RowStreams(seed_, (row.pass << 40) ^ row.ordinal);
  }

  void apply(std::size_t k, Row& row, Items& items, OutputMemory* memory) const {
    const Transform& transform = *transforms_[k].transform;
    const RowStreams streams = streams_of(row);
    RowRandom random = streams.at(transforms_[k].place);
    TransformContext context{random, k + 1 == transforms_.size() ? memory : nullptr,
                             row.file == nullptr ? std::string_view() : *row.file, &streams};
    const std::size_t before = bytes_of(items);
    try {
      transform.apply(items, context);
      row.peak_bytes = std::max(row.peak_bytes, before + bytes_of(items));
    } catch (const StepError& error) {
      std::rethrow_exception(error.with(where(row)));
    } catch (const Error& error) {
      throw Error(error.kind() == ErrorKind::Internal ? ErrorKind::Internal : ErrorKind::Runtime,
                  "map operation: [" + transform.failing_name(error.message()) + "] failed. " +
                      file_of(row) + error.message() + " " + where(row));
    }
  }

  std::string where(const Row& row) const {
    std::string names;
    for (const std::string& name : columns_.input_names)
      names += (names.empty() ? "'" : ", '") + name + "'";
    return place_of(row) + " Columns: " + names + ".";
  }

  // Transform after transform instead of row after row, so that another process is asked once.
  void run_with_questions(std::span<Row> rows, std::span<OutputMemory* const> memories) const {
    std::vector<std::size_t> places;  // of rows that are well
    std::vector<Items> items;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      if (rows[i].failure) continue;
      places.push_back(i);
      items.push_back(inputs_of(rows[i]));
    }
    for (std::size_t k = 0; k < transforms_.size(); ++k) {
      if (const ManyRowTransform* many = many_rows(transforms_[k]); many != nullptr)
        ask(*many, k, rows, places, items);
      else
        for_each_well(rows, places, [&](std::size_t i, Row& row) {
          apply(k, row, items[i], memories.empty() ? nullptr : memories[places[i]]);
        });
    }
    for_each_well(rows, places, [&](std::size_t i, Row& row) {
      place_outputs(row, columns_, std::move(items[i]), transforms_.back().transform->name());
    });
  }

  template <class Work>
  static void for_each_well(std::span<Row> rows, const std::vector<std::size_t>& places,
                            const Work& work) {
    for (std::size_t i = 0; i < places.size(); ++i) {
      Row& row = rows[places[i]];
      if (row.failure) continue;
      try {
        work(i, row);
      } catch (...) {
        row.failure = std::current_exception();
      }
    }
  }

  void ask(const ManyRowTransform& many, std::size_t k, std::span<Row> rows,
           const std::vector<std::size_t>& places, std::vector<Items>& items) const {
    std::vector<std::size_t> asked;
    std::vector<Items> questions;
    std::vector<RowRandom> random;
    for_each_well(rows, places, [&](std::size_t i, Row& row) {
      asked.push_back(i);
      questions.push_back(std::move(items[i]));
      random.push_back(streams_of(row).at(transforms_[k].place));
    });
    std::vector<std::exception_ptr> failures(asked.size());
    std::vector<std::size_t> before;
    for (const Items& question : questions) before.push_back(bytes_of(question));
    if (!asked.empty()) many.apply_all(questions, random, failures);
    for (std::size_t n = 0; n < asked.size(); ++n) {
      Row& row = rows[places[asked[n]]];
      // The answer lies in shared memory first.
      row.peak_bytes = std::max(row.peak_bytes, before[n] + 2 * bytes_of(questions[n]));
      items[asked[n]] = std::move(questions[n]);
      if (failures[n]) row.failure = noted(failures[n], file_of(row) + where(row));
    }
  }

  MapColumns columns_;
  ListedTransforms transforms_;
  std::uint64_t seed_;
  int output_ = -1;
};

class Map : public Stage {
 public:
  Map(StagePtr child, std::unique_ptr<RowStep> step, const MapColumns& columns, std::string name)
      : Stage({child}), step_(std::move(step)), name_(std::move(name)) {
    columns_ = columns.layout.columns;
    pending_ = true;
    inherit_work(*child);
    pending_python_ = pending_python_ || step_->uses_python();
  }
  std::string name() const override {
    return child().pending() ? child().name() + ", " + name_ : name_;
  }
  bool next(Row& row) override {
    if (!child().next(row)) return false;
    row.pending.push_back(step_.get());
    return true;
  }
  std::int64_t skip(std::int64_t rows) override { return child().skip(rows); }
  std::int64_t rows_in_pass() const override { return child().rows_in_pass(); }

 private:
  std::unique_ptr<RowStep> step_;
  std::string name_;
};

}  // namespace

MapColumns::MapColumns(const Columns& before, const Columns& wanted, const Columns& output_names)
    : inputs(resolve(before, wanted)),
      input_names(names_of(before, inputs)),
      outputs(output_names.empty() ? inputs.size() : output_names.size()),
      layout(before, inputs, output_names.empty() ? input_names : output_names) {}

void place_outputs(Row& row, const MapColumns& columns, Items made, const std::string& operation) {
  if (made.size() != columns.outputs)
    fail(ErrorKind::Runtime, "map operation: [", operation,
         "] failed. Invalid columns, the number of columns returned in 'map' operations should "
         "match ",
         "the number of 'output_columns', but got the number of columns returned in 'map' "
         "operations: ",
         made.size(), ", the number of 'output_columns': ", columns.outputs, ".");
  Items items;
  items.reserve(columns.layout.sources.size());
  for (const std::int64_t source : columns.layout.sources)
    items.push_back(source < 0 ? std::move(made[static_cast<std::size_t>(~source)])
                               : std::move(row.items[static_cast<std::size_t>(source)]));
  row.items = std::move(items);
}

std::unique_ptr<RowStep> transform_step(const MapColumns& columns, ListedTransforms transforms,
                                        std::uint64_t seed) {
  return std::make_unique<TransformStep>(columns, std::move(transforms), seed);
}

StagePtr map_stage(StagePtr child, std::unique_ptr<RowStep> step, const MapColumns& columns,
                   const MapOptions& options) {
  if (options.in_order || child->pending_in_order()) child = evaluated(std::move(child));
  StagePtr map = std::make_shared<Map>(std::move(child), std::move(step), columns, options.name);
  if (options.bad_rows == BadRows::Raise && !options.in_order) return map;
  return std::make_shared<EvaluateStage>(std::move(map), options.bad_rows, options.in_order);
}

}  // namespace mycel::data
