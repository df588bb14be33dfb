// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Python.h>

#include "operator/op_def.h"

namespace mycel::bindings {

// A callable that runs one operator, without a Python frame. Bound to a tensor it is a method.
PyTypeObject* make_operator_function_type();
PyObject* operator_function(const op::OpDef& definition, bool is_method);  // new reference

// describer(operator name, "name" | "module" | "doc" | "signature", is_method).
void set_function_describer(PyObject* function);

// Calls with arguments already in the order of the Python function's parameters.
PyObject* call_operator(const op::OpDef& definition, PyObject* const* arguments, std::size_t count,
                        PyObject* names);

// The same arguments, given to inference only: a list of (dtype, shape), one per result.
PyObject* infer_operator(const op::OpDef& definition, PyObject* const* arguments, std::size_t count,
                         PyObject* names);

}  // namespace mycel::bindings
