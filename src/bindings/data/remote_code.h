// SPDX-License-Identifier: Apache-2.0
// Functions and sources of users that run in other processes, asked for many rows at once.
#pragma once

#include <string>

#include <nanobind/nanobind.h>

#include "bindings/data/user_code.h"

namespace mycel::bindings {

struct PythonCall {
  bool keep_objects = false;  // the next function takes whatever this one made
  bool seeded = false;        // a number that belongs to the row is its seed
};

// Calls `function(list of argument tuples, list of seeds or None)`, which returns a list of results
// and of exceptions in place of results.
data::TransformPtr remote_transform(nanobind::callable function, std::string name, PythonCall how);
// Calls `function(list of row numbers)`, likewise.
data::IndexedSourcePtr remote_source(nanobind::callable function, data::SourceColumns columns,
                                     std::int64_t rows);

}  // namespace mycel::bindings
