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

class InterpreterLock {
 public:
  InterpreterLock() : state_(PyGILState_Ensure()) {}
  ~InterpreterLock() { PyGILState_Release(state_); }
  InterpreterLock(const InterpreterLock&) = delete;
  InterpreterLock& operator=(const InterpreterLock&) = delete;

 private:
  PyGILState_STATE state_;
};

// Runs a conversion, turning pending Python errors into ours.
template <class Body>
auto converting(const std::string& operation, const Body& body) {
  try {
    return body();
  } catch (const PythonError&) {
    throw_user_error(operation);
  }
}

// `operation` says what was running when the function raises.
nanobind::object call(PyObject* function, PyObject* arguments, const std::string& operation);
nanobind::object argument_tuple(const std::vector<const data::Item*>& items);
// A row as a source returned it.
data::Items source_items(PyObject* row, const SourceColumns& columns);

}  // namespace mycel::bindings
