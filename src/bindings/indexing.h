// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Python.h>

namespace mycel::bindings {

// tensor[index] and tensor[index] = value. Basic indices (integers, slices, None, Ellipsis) are one
// view operator; tensors, lists and masks go to the package's Python functions.
PyObject* get_item(PyObject* self, PyObject* index);
int set_item(PyObject* self, PyObject* index, PyObject* value);

void set_advanced_indexing(PyObject* reader, PyObject* writer);

}  // namespace mycel::bindings
