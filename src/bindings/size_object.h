// SPDX-License-Identifier: Apache-2.0
// Lengths of tensors as Python sees them while a script is written (capture/script_writer.h).
#pragma once

#include <cstddef>

#include <Python.h>

#include "capture/script_writer.h"
#include "tensor/tensor.h"

namespace mycel::bindings {

using tensor::Tensor;

// A number that knows how it was computed from lengths. It is no int, so that nobody reads it
// unseen: whoever needs the plain number (`__index__`, `float()`, a hash, a text) makes the script
// rely on it, and so does a comparison with its outcome. `isinstance` takes it for an int or float.
struct SizeObject {
  PyObject_HEAD ir::SizeRef expression;
  ir::SizeNumber now;
  std::uint64_t writer;  // whose script it belongs to; it is a plain number for others
};

extern PyTypeObject* size_type;
PyTypeObject* make_size_type();

inline bool is_size(PyObject* object) { return Py_TYPE(object) == size_type; }

// A plain number; a new reference.
PyObject* number_object(ir::SizeNumber number);

// Lengths of a tensor that is a value of the script that is being written.
PyObject* shape_of_sizes(capture::ScriptWriter& writer, const Tensor& tensor);
PyObject* element_count_size(capture::ScriptWriter& writer, const Tensor& tensor,
                             std::int64_t factor);

// As an operand of an operator.
Tensor size_operand(PyObject* size);

// The object with plain numbers for sizes, in itself or in its items; the next call's attribute is
// computed from them. A new reference.
PyObject* without_sizes(PyObject* object, std::size_t attribute);

// The writer it belongs to; null: that is gone, or at work on another thread.
capture::ScriptWriter* writer_of(PyObject* size);
// Whether a size of this writer was used where nobody could write it down.
bool was_used_elsewhere(const capture::ScriptWriter& writer);

// Sizes that exist.
std::size_t living_sizes();

}  // namespace mycel::bindings
