// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include <nanobind/nanobind.h>

namespace mycel::bindings {

// The class of what stands for a Python number while a function is captured
// (python/mindspore/_capture/numbers.py): it computes with tensors itself. Null until it exists.
extern PyTypeObject* number_stand_in_type;

inline bool is_number_stand_in(PyObject* object) { return Py_TYPE(object) == number_stand_in_type; }
// The number it stands for, which the run then relies on; anything else as it is.
nanobind::object plain_number(PyObject* object);
// A stand-in as an operand of an operator beside a tensor: an input of the graph in the type in
// which the number is computed there, or the number.
nanobind::object operand_beside(PyObject* object, const std::string& op, PyObject* tensor);

}  // namespace mycel::bindings
