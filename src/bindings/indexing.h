// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nanobind/nanobind.h>

namespace mycel::bindings {

// tensor[index] and tensor[index] = value. Basic indices (integers, slices, None, Ellipsis) are one
// view operator; tensors, lists and masks go to the package's Python functions.
PyObject* get_item(PyObject* self, PyObject* index);
int set_item(PyObject* self, PyObject* index, PyObject* value);

// origin(tensor): repeats a write into an indexed copy on the tensor it was read from.
void set_advanced_indexing(PyObject* reader, PyObject* writer, PyObject* origin);

// What advanced indexing gives remembers what it was read from: (weak reference to a tensor,
// index). Null: this tensor was read in no such way.
PyObject* index_origin(PyObject* tensor);
// Whether a user, or the package, has given it attributes besides that.
bool has_attributes(PyObject* tensor);
void set_index_origin(nanobind::object tensor, nanobind::handle read, nanobind::handle index);
// The same, if it was read from `read`: it shall be `instead`.
void exchange_index_origin(nanobind::object tensor, nanobind::handle read,
                           nanobind::handle instead);

}  // namespace mycel::bindings
