// SPDX-License-Identifier: Apache-2.0
#include "bindings/data/failures.h"

#include <Python.h>

#include "bindings/data/parts.h"
#include "bindings/data/user_code.h"
#include "bindings/objects.h"
#include "data/pipeline/failure_text.h"

namespace mycel::bindings {

namespace nb = nanobind;

namespace {

void set_user_error(const UserCodeError& error) {
  // Not an error of the function: somebody wants the program to end.
  PyObject* raised = error.exception();
  if (PyErr_GivenExceptionMatches(raised, PyExc_KeyboardInterrupt) != 0 ||
      PyErr_GivenExceptionMatches(raised, PyExc_SystemExit) != 0) {
    set_error(raised);
    return;
  }
  PyErr_SetString(PyExc_RuntimeError, data::user_failure_text(error.message()).c_str());
  const nb::object made = take_error();
  PyException_SetCause(made.ptr(), Py_NewRef(raised));
  set_error(made);
}

}  // namespace

void set_pipeline_error() {
  try {
    throw;
  } catch (const UserCodeError& error) {
    set_user_error(error);
  } catch (const platform::Error& error) {
    if (error.kind() != platform::ErrorKind::Runtime) {
      bridge().set_python_error();
      return;
    }
    PyErr_SetString(PyExc_RuntimeError, data::pipeline_failure_text(error.message()).c_str());
  } catch (...) {
    bridge().set_python_error();
  }
}

}  // namespace mycel::bindings
