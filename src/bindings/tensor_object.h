// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Python.h>

#include "tensor/tensor.h"

namespace mycel::bindings {

using tensor::Tensor;

// The Python Tensor: a C++ handle inside a Python object, so that a call needs no lookup.
struct TensorObject {
  PyObject_HEAD Tensor tensor;
  PyObject* attributes;  // __dict__, made when a user sets something
  PyObject* weak_references;
};

extern PyTypeObject* tensor_type;

// Creates the type; methods that need no speed are added to it from Python.
PyTypeObject* make_tensor_type();

inline bool is_tensor(PyObject* object) {
  return Py_TYPE(object) == tensor_type || PyType_IsSubtype(Py_TYPE(object), tensor_type) != 0;
}
inline Tensor& tensor_of(PyObject* object) {
  return reinterpret_cast<TensorObject*>(object)->tensor;
}

// Its tensor, after an initializer that still waits has run; an error when there is no data.
const Tensor& filled(PyObject* object);

// The same content in memory of its own, which nobody else uses again.
inline Tensor content_copy(const Tensor& tensor) {
  Tensor copy = Tensor::empty(tensor.shape(), tensor.dtype());
  tensor::copy_elements(tensor, copy);
  return copy;
}

// A new reference.
PyObject* wrap(Tensor tensor);
PyObject* wrap_outputs(std::vector<Tensor>& outputs);  // a tuple

}  // namespace mycel::bindings
