// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Python.h>

#include "capture/call.h"

namespace mycel::bindings {

// Takes the arguments of a call apart: a tuple and a dict.
capture::Call read_call(PyObject* args, PyObject* kwargs);

// Tensors that are inputs of a captured function. A Parameter is known by identity, and so is a
// tensor that a user has given attributes.
bool is_plain_tensor(PyObject* object);

}  // namespace mycel::bindings
