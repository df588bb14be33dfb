// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Python.h>

namespace mycel::bindings {

// The class of what stands for a Python number while a function is captured
// (python/mindspore/_capture/numbers.py): it computes with tensors itself. Null until it exists.
extern PyTypeObject* number_stand_in_type;

inline bool is_number_stand_in(PyObject* object) {
  return number_stand_in_type != nullptr && PyObject_TypeCheck(object, number_stand_in_type);
}

}  // namespace mycel::bindings
