// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Python.h>

#include "tensor/tensor.h"

namespace mycel::bindings {

using tensor::Tensor;

bool is_numpy_scalar(PyObject* object);

// From an object with the buffer protocol (a NumPy array). Shared: the tensor looks at the array's
// memory, which is lent (tensor/loan.h), and keeps it alive; otherwise a copy.
Tensor tensor_from_buffer(PyObject* object, bool shared);

// Numbers, nested lists, NumPy arrays and scalars: through NumPy, with our default dtypes.
Tensor tensor_from_python(PyObject* object);

// A NumPy array on the tensor's memory; bfloat16 comes back as a float32 copy.
PyObject* numpy_from_tensor(const Tensor& tensor);

// The buffer protocol of Tensor itself.
int get_buffer(PyObject* self, Py_buffer* view, int flags);
void release_buffer(PyObject* self, Py_buffer* view);

// The Python function that turns any supported object into an ndarray; installed by the package.
void set_array_converter(PyObject* function);

}  // namespace mycel::bindings
