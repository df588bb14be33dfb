// SPDX-License-Identifier: Apache-2.0
// Functions and sources of users that run in other processes, asked for many rows at once.
#pragma once

#include <span>
#include <string>

#include <nanobind/nanobind.h>

#include "bindings/data/user_code.h"

namespace mycel::bindings {

struct PythonCall {
  bool keep_objects = false;  // the next function takes whatever this one made
  bool seeded = false;        // a number that belongs to the row is its seed
};

// Calls `function(question, list of seeds or None, number of rows)`. The question is a list of
// tuples of arguments, or an array with packed rows; so is the answer, with results in place of
// arguments and exceptions among them.
data::TransformPtr remote_transform(nanobind::callable function, std::string name, PythonCall how);
// Calls `function(array of row numbers)`, likewise.
data::IndexedSourcePtr remote_source(nanobind::callable function, data::SourceColumns columns,
                                     std::int64_t rows);

// Rows that are worth it as one array of bytes; see data/packed_rows.h.
nanobind::object packed_array(std::span<const data::Items> rows, bool keep_objects);
// In the other process: the list of tuples, and whether objects are to be kept.
nanobind::tuple unpacked_calls(nanobind::handle array);
// What functions have returned as such an array; None where it is no data, or large.
nanobind::object packed_results(const nanobind::list& results, bool keep_objects);
// The same for what a source has returned.
nanobind::object packed_source_rows(const nanobind::list& rows);

}  // namespace mycel::bindings
