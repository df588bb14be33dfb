// SPDX-License-Identifier: Apache-2.0
// Calls of users' functions: arguments from items, errors with the user's traceback.
#pragma once

#include <string>
#include <vector>

#include <Python.h>
#include <nanobind/nanobind.h>

#include "bindings/data/user_code.h"
#include "bindings/exceptions.h"
#include "data/item.h"

namespace mycel::bindings {

// Runs a conversion, turning pending Python errors into ours.
template <class Body>
auto converting(const std::string& operation, const Body& body) {
  try {
    return body();
  } catch (const PythonError&) {
    throw_user_error(operation);
  }
}

// Calls with a tuple of arguments; `operation` says what was running when the function raises.
nanobind::object call(const HeldPtr& function, const std::string& operation,
                      nanobind::handle arguments);
template <class... Arguments>
nanobind::object call_with(const HeldPtr& function, const std::string& operation,
                           const Arguments&... arguments) {
  return call(function, operation, nanobind::make_tuple(arguments...));
}
nanobind::object argument_tuple(const std::vector<const data::Item*>& items);
nanobind::object argument_tuple(const data::Items& items);
// A row as a source returned it: the elements of a tuple or list, or one value.
data::Items source_items(PyObject* row);
// The same, and it has to be what the columns say.
data::Items source_items(PyObject* row, const data::SourceColumns& columns);

}  // namespace mycel::bindings
