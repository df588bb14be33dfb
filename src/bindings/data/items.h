// SPDX-License-Identifier: Apache-2.0
// Values of rows to and from Python. The interpreter lock is held in all of these.
#pragma once

#include <Python.h>
#include <nanobind/nanobind.h>

#include "data/item.h"
#include "data/parameters.h"
#include "data/source/source.h"

namespace mycel::bindings {

bool is_array(PyObject* object);

// Numbers, strings, arrays, Tensors, lists of those; dicts travel as they are. `keep_objects`: so
// does everything that is not data yet (Pillow images); otherwise it is asked for its array.
data::Item item_from_python(PyObject* object, bool keep_objects = false);

// Writes a row of numbers and plain arrays straight into a batch. False: it holds something else,
// or something that does not fit; nothing is lost, the row can be converted in the usual way.
bool write_row(PyObject* row, std::size_t columns, data::RowSink& sink);

// ndarray, or the object. Strings are arrays of str, bytes arrays of type S.
nanobind::object python_from_item(const data::Item& item);
// The same as a Tensor.
nanobind::object tensor_from_item(const data::Item& item);

// What a function of a user returned, spread over columns: a tuple's elements, or one value.
data::Items items_from_result(PyObject* result, bool keep_objects);

// Named arguments of sources and transforms.
data::Parameters parameters_from_dict(const nanobind::dict& arguments);

// The Python functions conversion needs in rare cases, set by the package:
//   array(object) -> ndarray, or a TypeError; texts(ndarray) -> (list, shape);
//   text_array(list, shape, is_bytes) -> ndarray; text_tensor(ndarray) -> Tensor.
// `probe`: see array_layout.h.
void set_item_helpers(PyObject* array, PyObject* texts, PyObject* text_array, PyObject* text_tensor,
                      PyObject* probe);

}  // namespace mycel::bindings
