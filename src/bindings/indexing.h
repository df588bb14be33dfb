// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Python.h>

namespace mycel::bindings {

// tensor[index] and tensor[index] = value. Basic indices (integers, slices, None, Ellipsis) are one
// view operator; tensors, lists and masks go to the package's Python functions.
PyObject* get_item(PyObject* self, PyObject* index);
int set_item(PyObject* self, PyObject* index, PyObject* value);

// origin(tensor): repeats a write into an indexed copy on the tensor it was read from.
void set_advanced_indexing(PyObject* reader, PyObject* writer, PyObject* origin);

}  // namespace mycel::bindings
