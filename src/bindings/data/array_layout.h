// SPDX-License-Identifier: Apache-2.0
// A short way into NumPy arrays: rows of a few bytes are converted by the million, and the buffer
// protocol costs more than the copy. The head of an array object has been the same in all releases
// of NumPy that we know; a probe array proves it before it is used.
#pragma once

#include <optional>

#include <Python.h>

#include "data/source/source.h"
#include "tensor/tensor.h"

namespace mycel::bindings {

// Looks at an array whose contents are known: float32, [[0, 1, 2], [3, 4, 5]].
void probe_array_layout(PyObject* array);

// The array as a Tensor of its own memory: native numbers, contiguous. Nothing: ask in another way.
std::optional<tensor::Tensor> copy_plain_array(PyObject* array);

// The same into a batch. False: not plain, or it does not fit.
bool write_plain_array(PyObject* array, std::size_t column, data::RowSink& sink);

}  // namespace mycel::bindings
