// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Python.h>

#include "tensor/dtype.h"

namespace mycel::bindings {

// mindspore.float32 and its like: one object per dtype.
extern PyTypeObject* dtype_type;
void make_dtypes(PyObject* module);

inline bool is_dtype(PyObject* object) { return Py_TYPE(object) == dtype_type; }
tensor::DType dtype_of(PyObject* object);
PyObject* dtype_object(tensor::DType dtype);  // borrowed

}  // namespace mycel::bindings
