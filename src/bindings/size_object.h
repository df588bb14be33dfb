// SPDX-License-Identifier: Apache-2.0
// Lengths of tensors as Python sees them while a script is written (capture/size_value.h).
#pragma once

#include <cstddef>

#include <nanobind/nanobind.h>

#include "capture/size_value.h"
#include "tensor/tensor.h"

namespace mycel::bindings {

using tensor::Tensor;

// A number that knows how it was computed from lengths. It is no int, so that nobody reads it
// unseen: whoever needs the plain number (`__index__`, `float()`, a hash, a text) makes the script
// rely on it, and so does a comparison with its outcome. `isinstance` takes it for an int or float.
struct SizeObject {
  PyObject_HEAD capture::SizeValue value;
};

extern PyTypeObject* size_type;
PyTypeObject* make_size_type();

inline bool is_size(PyObject* object) { return Py_TYPE(object) == size_type; }
inline const capture::SizeValue& size_of(PyObject* object) {
  return reinterpret_cast<SizeObject*>(object)->value;
}

// A plain number; a new reference.
PyObject* number_object(ir::SizeNumber number);

// Lengths of a tensor that is a value of the script that is being written.
PyObject* shape_of_sizes(capture::ScriptWriter& writer, const Tensor& tensor);
PyObject* element_count_size(capture::ScriptWriter& writer, const Tensor& tensor,
                             std::int64_t factor);

// The object with plain numbers for sizes, in itself or in its items; the next call's attribute is
// computed from them.
nanobind::object without_sizes(PyObject* object, std::size_t attribute);

// Sizes that exist.
std::size_t living_sizes();

}  // namespace mycel::bindings
