// SPDX-License-Identifier: Apache-2.0
// What other extension modules of the package need of this one. Handed over as a capsule, because
// modules do not see each other's symbols.
#pragma once

#include <Python.h>

#include "tensor/tensor.h"

namespace mycel::bindings {

struct Bridge {
  PyTypeObject* tensor_type;
  PyObject* (*wrap)(tensor::Tensor tensor);
  const tensor::Tensor& (*filled)(PyObject* object);
  tensor::Tensor (*tensor_from_buffer)(PyObject* object, bool shared);
  PyObject* (*numpy_from_tensor)(const tensor::Tensor& tensor);
  PyObject* (*set_python_error)();
};

inline constexpr const char* kBridgeName = "mindspore._c_expression._bridge";
// A capsule of this name holds a pointer to a std::shared_ptr<tensor::TensorStream>.
inline constexpr const char* kStreamName = "mindspore.tensor_stream";

}  // namespace mycel::bindings
