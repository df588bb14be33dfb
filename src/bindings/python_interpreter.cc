// SPDX-License-Identifier: Apache-2.0
#include "bindings/python_interpreter.h"

#include <cmath>

#include <nanobind/stl/string.h>

#include "bindings/exceptions.h"
#include "bindings/guard.h"

namespace mycel::bindings {
namespace {

namespace nb = nanobind;

constexpr std::size_t kLongestText = 60;

PyObject* python_object(const void* object) {
  return static_cast<PyObject*>(const_cast<void*>(object));
}

class PythonInterpreter final : public capture::Interpreter {
 public:
  std::shared_ptr<const void> hold(const void* object) override {
    Py_INCREF(python_object(object));
    return {object, [](const void* held) {
              if (Py_IsInitialized() == 0) return;
              const nb::gil_scoped_acquire lock;
              Py_DECREF(python_object(held));
            }};
  }

  bool is_equal(const void* now_object, const void* before_object) override {
    PyObject *now = python_object(now_object), *before = python_object(before_object);
    if (is_same_value(now, before)) return true;
    if (Py_TYPE(now) != Py_TYPE(before) || PyFloat_CheckExact(now) || PyComplex_Check(now))
      return false;
    // Those of NumPy: -0.0 is not 0.0.
    if (PyFloat_Check(now) &&
        std::signbit(PyFloat_AS_DOUBLE(now)) != std::signbit(PyFloat_AS_DOUBLE(before)))
      return false;
    return PyObject_RichCompareBool(now, before, Py_EQ) == 1;
  }

  std::string describe(const void* object) override {
    PyObject* text = PyObject_Repr(python_object(object));
    if (text == nullptr) {
      PyErr_Clear();
      return "?";
    }
    std::string result = nb::cast<std::string>(nb::steal<nb::str>(text));
    if (result.size() > kLongestText) result = result.substr(0, kLongestText - 3) + "...";
    return result;
  }

  ir::Position position() override { return user_position(); }

  void* pause() override { return PyEval_SaveThread(); }
  void resume(void* paused) override { PyEval_RestoreThread(static_cast<PyThreadState*>(paused)); }
  void attend() override {
    if (PyErr_CheckSignals() != 0) throw nb::python_error();
  }
};

}  // namespace

capture::Interpreter& python_interpreter() {
  static PythonInterpreter instance;
  return instance;
}

}  // namespace mycel::bindings
