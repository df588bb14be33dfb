// SPDX-License-Identifier: Apache-2.0
#include "bindings/data/failures.h"

#include <Python.h>

#include "bindings/data/parts.h"
#include "bindings/data/user_code.h"
#include "bindings/exceptions.h"

namespace mycel::bindings {

namespace {

std::string block(const std::string& title, const std::string& text) {
  const std::string line(66, '-');
  return "\n" + line + "\n- " + title + ": \n" + line + "\n" + text + "\n";
}

void set_user_error(const UserCodeError& error) {
  // Not an error of the function: somebody wants the program to end.
  PyObject* raised = error.exception();
  if (PyErr_GivenExceptionMatches(raised, PyExc_KeyboardInterrupt) != 0 ||
      PyErr_GivenExceptionMatches(raised, PyExc_SystemExit) != 0) {
    PyErr_SetObject(reinterpret_cast<PyObject*>(Py_TYPE(raised)), raised);
    return;
  }
  const std::string text =
      "Exception thrown from user defined Python function in dataset. \n" +
      block("Python Call Stack", error.message()) +
      block("Dataset Pipeline Error Message",
            "[ERROR] Execute user Python code failed, check 'Python Call Stack' above.");
  PyErr_SetString(PyExc_RuntimeError, text.c_str());
  PyObject* type = nullptr;
  PyObject* value = nullptr;
  PyObject* trace = nullptr;
  PyErr_Fetch(&type, &value, &trace);
  PyErr_NormalizeException(&type, &value, &trace);
  Py_INCREF(error.exception());
  PyException_SetCause(value, error.exception());
  PyErr_Restore(type, value, trace);
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
    const std::string text =
        "Exception thrown from dataset pipeline. Refer to 'Dataset Pipeline Error Message'. \n" +
        block("Dataset Pipeline Error Message", "[ERROR] " + error.message());
    PyErr_SetString(PyExc_RuntimeError, text.c_str());
  } catch (...) {
    bridge().set_python_error();
  }
}

}  // namespace mycel::bindings
