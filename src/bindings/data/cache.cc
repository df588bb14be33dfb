// SPDX-License-Identifier: Apache-2.0
#include <nanobind/nanobind.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>

#include "bindings/data/failures.h"
#include "bindings/data/parts.h"
#include "data/pipeline/cached_stage.h"
#include "data/pipeline/row_cache.h"

namespace mycel::bindings {

namespace nb = nanobind;
using namespace data;  // NOLINT: this file is about nothing else

namespace {

// Waits for the server without the interpreter lock; errors look like those of pipelines.
template <class Body>
auto asking(const Body& body) {
  try {
    const nb::gil_scoped_release release;
    return body();
  } catch (...) {
    set_pipeline_error();
    throw nb::python_error();
  }
}

cache::CacheOptions cache_options(const nb::dict& given) {
  cache::CacheOptions options;
  options.port = nb::cast<std::uint16_t>(given["port"]);
  options.session = nb::cast<std::uint32_t>(given["session"]);
  options.cache_id = nb::cast<std::uint32_t>(given["cache_id"]);
  const auto description = nb::cast<nb::bytes>(given["description"]);
  options.description = {description.c_str(), description.size()};
  options.kind =
      nb::cast<bool>(given["stream"]) ? cache::SourceKind::Stream : cache::SourceKind::Mappable;
  options.size_mb = nb::cast<std::uint64_t>(given["size"]);
  options.spilling = nb::cast<bool>(given["spilling"]);
  options.prefetch = nb::cast<int>(given["prefetch"]);
  return options;
}

std::shared_ptr<RowCache> open_cache(const nb::dict& given) {
  const cache::CacheOptions options = cache_options(given);
  const bool bypass = nb::cast<bool>(given["bypass"]);
  return asking(
      [&] { return open_row_cache(options, bypass ? CacheFailure::Bypass : CacheFailure::Raise); });
}

// Rows in memory, rows on disk, mean bytes of a row.
nb::tuple statistics(const RowCache& cache) {
  const cache::CacheStatistics figures = asking([&] { return cache.statistics(); });
  return nb::make_tuple(figures.rows_in_memory, figures.rows_on_disk, figures.average_row_bytes());
}

}  // namespace

void bind_cache(nb::module_& module) {
  nb::class_<RowCache>(module, "RowCache")
      .def("statistics", statistics)
      .def_prop_ro("is_usable", [](const RowCache& cache) {
        const nb::gil_scoped_release release;
        return cache.is_usable();
      });
  module.def("open_cache", open_cache);
  module.def("cached_stage",
             [](StagePtr child, std::shared_ptr<RowCache> cache, int bad_rows, bool in_order) {
               return cached_stage(std::move(child), std::move(cache),
                                   {static_cast<BadRows>(bad_rows), in_order});
             });
  module.def("raise_pipeline_error", [](std::string text) {
    asking([&] { throw platform::Error(ErrorKind::Runtime, std::move(text)); });
  });
  module.def("cached_stream_stage", cached_stream_stage);
}

}  // namespace mycel::bindings
