// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Python.h>

namespace mycel::bindings {

// A Python function of the package as users get it: a call costs no further Python frame, and what
// a failed call says is put into the user's words. Bound to an object it is a method.
PyTypeObject* make_package_function_type();
PyObject* package_function(PyObject* function);  // new reference

// explainer(function, error, arguments, keywords) gives the error that the user is to see.
void set_failure_explainer(PyObject* explainer);

}  // namespace mycel::bindings
