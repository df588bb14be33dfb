// SPDX-License-Identifier: Apache-2.0
#include <nanobind/nanobind.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "bindings/data/items.h"
#include "bindings/data/parts.h"
#include "bindings/data/remote_code.h"
#include "bindings/data/user_code.h"
#include "bindings/exceptions.h"
#include "data/source/array_source.h"
#include "data/source/registry.h"

namespace mycel::bindings {

namespace nb = nanobind;
using namespace data;  // NOLINT: this file is about nothing else

namespace {

// Arrays of numbers are looked at where they are; everything else is converted value by value.
IndexedSourcePtr source_of_arrays(std::vector<std::string> names, const nb::list& columns) {
  std::vector<MemoryColumn> made;
  for (const nb::handle column : columns) {
    if (PyList_Check(column.ptr()) == 0) {
      made.emplace_back(bridge().tensor_from_buffer(column.ptr(), true));
      continue;
    }
    Items values;
    for (const nb::handle value : nb::borrow<nb::list>(column))
      values.push_back(item_from_python(value.ptr()));
    made.emplace_back(std::move(values));
  }
  return array_source(std::move(names), std::move(made));
}

}  // namespace

void bind_sources(nb::module_& module) {
  nb::class_<IndexedSource>(module, "IndexedSource")
      .def_prop_ro("columns", &IndexedSource::columns)
      .def_prop_ro("rows", &IndexedSource::rows)
      .def("classes", &IndexedSource::classes)
      .def("load", [](const IndexedSource& source, std::int64_t row) {
        LoadedRow loaded;
        unlocked([&] { source.load(row, loaded); });
        return list_of(loaded.items, python_from_item);
      });
  nb::class_<FileSource>(module, "FileSource")
      .def_prop_ro("columns", &FileSource::columns)
      .def_prop_ro("files", &FileSource::files)
      .def("count_rows", &FileSource::count_rows, nb::call_guard<nb::gil_scoped_release>());
  module.def("open_indexed_source", [](const std::string& name, const nb::dict& arguments) {
    const Parameters parameters = parameters_from_dict(arguments);
    return std::const_pointer_cast<IndexedSource>(
        unlocked([&] { return open_indexed_source(name, parameters); }));
  });
  module.def("open_file_source", [](const std::string& name, const nb::dict& arguments) {
    const Parameters parameters = parameters_from_dict(arguments);
    return std::const_pointer_cast<FileSource>(
        unlocked([&] { return open_file_source(name, parameters); }));
  });
  module.def("array_source", [](std::vector<std::string> names, const nb::list& columns) {
    return std::const_pointer_cast<IndexedSource>(source_of_arrays(std::move(names), columns));
  });
  module.def("python_source", [](nb::object source, std::vector<std::string> names,
                                 std::vector<std::string> types, std::int64_t rows) {
    return std::const_pointer_cast<IndexedSource>(
        python_source(std::move(source), {std::move(names), std::move(types)}, rows));
  });
  module.def("remote_source", [](nb::callable function, std::vector<std::string> names,
                                 std::vector<std::string> types, std::int64_t rows) {
    return std::const_pointer_cast<IndexedSource>(
        remote_source(std::move(function), {std::move(names), std::move(types)}, rows));
  });
}

}  // namespace mycel::bindings
