// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Python.h>

namespace mycel::bindings {

// Python searches a list or tuple by asking whether its elements are equal to what is sought, and
// wants one answer for each. Asked for it; answers None where nothing is searched.
inline PyObject* search_asker = nullptr;
// Also outside of captures: a function that has been compiled searches in the same way when it runs
// eagerly.
inline bool searches_eagerly = false;

// A new reference; null: an error was raised.
inline PyObject* search_answer(PyObject* tensor, PyObject* other) {
  if (search_asker == nullptr) Py_RETURN_NONE;
  return PyObject_CallFunctionObjArgs(search_asker, tensor, other, nullptr);
}

}  // namespace mycel::bindings
