// SPDX-License-Identifier: Apache-2.0
#include <nanobind/nanobind.h>
#include <nanobind/stl/function.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "bindings/data/items.h"
#include "bindings/data/parts.h"
#include "bindings/data/user_calls.h"
#include "data/pipeline/batch_stage.h"
#include "data/pipeline/bucket_stage.h"
#include "data/pipeline/evaluate_stage.h"
#include "data/pipeline/map_stage.h"
#include "data/pipeline/order_stages.h"
#include "data/pipeline/source_stages.h"

namespace mycel::bindings {

namespace nb = nanobind;
using namespace data;  // NOLINT: this file is about nothing else

namespace {

// {column: (shape or None, value or None)}; a dimension may be None.
std::map<std::string, PadRule> pad_rules(const nb::dict& padding) {
  std::map<std::string, PadRule> rules;
  for (const auto [column, pair] : padding) {
    PadRule& rule = rules[nb::cast<std::string>(column)];
    rule.pad = true;
    const nb::object shape = pair[0];
    const nb::object value = pair[1];
    rule.whole_shape_given = !shape.is_none();
    if (rule.whole_shape_given)
      for (const nb::handle length : shape)
        rule.shape.push_back(length.is_none() ? std::nullopt
                                              : std::optional(nb::cast<std::int64_t>(length)));
    if (nb::isinstance<nb::str>(value))
      rule.value = nb::cast<std::string>(value);
    else if (nb::isinstance<nb::bytes>(value))
      rule.value = std::string(nb::cast<nb::bytes>(value).c_str());
    else if (!value.is_none())
      rule.value = nb::cast<double>(value);
  }
  return rules;
}

// One argument of Python holds all options: their number differs from call to call.
BatchOptions batch_options(const nb::dict& given) {
  BatchOptions options;
  const auto has = [&](const char* name) { return given.contains(name) && !given[name].is_none(); };
  const auto take = [&]<class T>(const char* name, T& place) {
    if (has(name)) place = nb::cast<T>(given[name]);
  };
  take("size", options.size);
  take("drop_remainder", options.drop_remainder);
  take("in_order", options.serial_function);
  take("input_columns", options.input_columns);
  take("output_columns", options.output_columns);
  take("pad_all", options.pad_all);
  if (has("size_function"))
    options.size_function = python_batch_size(nb::cast<nb::callable>(given["size_function"]));
  if (has("function"))
    options.function = python_batch_function(nb::cast<nb::callable>(given["function"]));
  if (has("padding")) options.padding = pad_rules(nb::cast<nb::dict>(given["padding"]));
  if (has("collate")) options.objects = python_collate(nb::cast<nb::callable>(given["collate"]));
  return options;
}

StagePtr bucket(StagePtr child, std::vector<std::string> columns, nb::object length,
                std::vector<std::int64_t> boundaries, std::vector<std::int64_t> sizes,
                bool pad_to_boundary, const nb::dict& batch) {
  BucketOptions options;
  options.length_columns = std::move(columns);
  if (!length.is_none()) {
    options.length = [function = held(length)](const std::vector<const Item*>& items) {
      const nb::gil_scoped_acquire lock;
      const auto convert = [](const Item* item) { return python_from_item(*item); };
      return nb::cast<std::int64_t>(
          call_with(function, "element_length_function failed. Error description:\n",
                    list_of(items, convert)));
    };
  }
  options.boundaries = std::move(boundaries);
  options.sizes = std::move(sizes);
  options.pad_to_boundary = pad_to_boundary;
  options.batch = batch_options(batch);
  return bucket_stage(std::move(child), std::move(options));
}

// `transforms`: pairs of a transform and its place in the list of the user.
StagePtr map(StagePtr child,
             const std::vector<std::pair<std::shared_ptr<Transform>, std::uint64_t>>& transforms,
             const Columns& inputs, const Columns& outputs, std::uint64_t seed,
             const std::string& name, int bad_rows, bool in_order) {
  const MapColumns columns(child->columns(), inputs, outputs);
  ListedTransforms list;
  for (const auto& [transform, place] : transforms) list.push_back({transform, place});
  std::unique_ptr<RowStep> step = transform_step(columns, std::move(list), seed);
  return map_stage(std::move(child), std::move(step), columns,
                   {name, static_cast<BadRows>(bad_rows), in_order});
}

FileStageOptions file_options(std::int64_t limit, bool shuffle_files, std::uint32_t seed,
                              std::int64_t shards, std::int64_t shard, bool shard_by_file) {
  return {limit, shuffle_files, seed, shards, shard, shard_by_file};
}

}  // namespace

void bind_stages(nb::module_& module) {
  nb::class_<Stage>(module, "Stage")
      .def_prop_ro("columns", &Stage::columns)
      .def_prop_ro("name", &Stage::name)
      .def_prop_ro("pending", &Stage::pending);
  module.def("indexed_stage",
             [](std::string name, std::shared_ptr<IndexedSource> source, SamplerPtr sampler,
                bool in_order) -> StagePtr {
               return std::make_shared<IndexedStage>(std::move(name), std::move(source),
                                                     std::move(sampler), in_order);
             });
  module.def("file_stage",
             [](std::string name, std::shared_ptr<FileSource> source, std::int64_t limit,
                bool shuffle_files, std::uint32_t seed, std::int64_t shards, std::int64_t shard,
                bool shard_by_file) -> StagePtr {
               return std::make_shared<FileStage>(
                   std::move(name), std::move(source),
                   file_options(limit, shuffle_files, seed, shards, shard, shard_by_file));
             });
  module.def("count_file_rows", [](const FileSource& source, std::int64_t limit,
                                   std::int64_t shards, std::int64_t shard, bool shard_by_file) {
    const nb::gil_scoped_release release;
    return FileStage::count_rows(source,
                                 file_options(limit, false, 0, shards, shard, shard_by_file));
  });
  module.def(
      "iterable_stage",
      [](nb::callable make_iterator, Columns names, Columns types, nb::object check) {
        return iterable_stage(std::move(make_iterator), {std::move(names), std::move(types)},
                              std::move(check));
      },
      nb::arg("make_iterator"), nb::arg("names"), nb::arg("types"), nb::arg("check").none());
  module.def("shuffle_stage", shuffle_stage);
  module.def("skip_stage", skip_stage);
  module.def("take_stage", take_stage);
  module.def("repeat_stage", repeat_stage);
  module.def("concat_stage", concat_stage, nb::arg("children"), nb::arg("sampler").none(),
             nb::arg("sizes"));
  module.def("zip_stage", zip_stage);
  module.def("project_stage", project_stage);
  module.def("rename_stage", rename_stage);
  module.def("filter_stage", [](StagePtr child, const Columns& inputs, nb::callable predicate) {
    return filter_stage(std::move(child), inputs, python_predicate(std::move(predicate)));
  });
  module.def("gate_stage", [](StagePtr child, nb::callable before_row) {
    return gate_stage(std::move(child), python_gate(std::move(before_row)));
  });
  module.def("watch_begins", [](StagePtr child, nb::callable tell, bool steps, bool in_turn) {
    return watch_begins(std::move(child), python_watcher(std::move(tell), steps, in_turn));
  });
  module.def("watch_ends", [](StagePtr child, nb::callable tell, bool steps, bool in_turn) {
    return watch_ends(std::move(child), python_watcher(std::move(tell), steps, in_turn));
  });
  module.def("map_stage", map);
  module.def("batch_stage", [](StagePtr child, const nb::dict& options) -> StagePtr {
    return std::make_shared<BatchStage>(std::move(child), batch_options(options));
  });
  module.def("bucket_stage", bucket, nb::arg("child"), nb::arg("columns"), nb::arg("length").none(),
             nb::arg("boundaries"), nb::arg("sizes"), nb::arg("pad_to_boundary"), nb::arg("batch"));
}

}  // namespace mycel::bindings
