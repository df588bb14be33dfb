// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Python.h>

#include "ir/graph.h"

namespace mycel::bindings {

// Turns the C++ exception being handled into the Python error of its kind, with the user's file and
// line appended. Call inside a catch block; returns null for convenience.
PyObject* set_python_error();

// Folder of the package: frames inside it are ours, the first one outside is the user's.
void set_package_folder(const char* folder);

// The innermost Python frame outside the package; no file when there is none.
ir::Position user_position();
// Where the innermost Python frame stands, or the one `behind` frames further out; no file when
// that is in the package.
ir::Position caller_position(int behind = 0);

// The class of errors that say why a loop or decision cannot be recorded as such.
inline PyObject* declined_error = nullptr;

// Thrown when a Python error is already set.
struct PythonError {};

// Runs `body`, turning exceptions into Python errors; `failure` is what the C API wants then.
template <class Body, class Result>
Result guarded(Result failure, const Body& body) {
  try {
    return body();
  } catch (...) {
    set_python_error();
    return failure;
  }
}

template <class Body>
PyObject* guarded(const Body& body) {
  try {
    return body();
  } catch (...) {
    return set_python_error();
  }
}

}  // namespace mycel::bindings
