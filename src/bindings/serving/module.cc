// SPDX-License-Identifier: Apache-2.0
// mindspore_serving._c_serving: knows nothing of libmindspore.so, and needs nothing of it.
#include <exception>

#include <nanobind/nanobind.h>

#include "bindings/serving/parts.h"
#include "platform/error/error.h"
#include "platform/log/log.h"

namespace nb = nanobind;

namespace {

using mycel::platform::ErrorKind;

// What the kinds of errors of this library are in Python.
PyObject* class_of(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::Type: return PyExc_TypeError;
    case ErrorKind::Value: return PyExc_ValueError;
    case ErrorKind::Memory: return PyExc_MemoryError;
    default: return PyExc_RuntimeError;
  }
}

}  // namespace

NB_MODULE(_c_serving, module) {
  using namespace mycel::bindings;  // NOLINT: the module is made of these
  nb::set_leak_warnings(false);     // the interpreter may end while a server runs
  nb::register_exception_translator([](const std::exception_ptr& failure, void*) {
    try {
      std::rethrow_exception(failure);
    } catch (const mycel::platform::Error& error) {
      PyErr_SetString(class_of(error.kind()), error.message().c_str());
    }
  });
  mycel::platform::configure_log(mycel::platform::log_options_from_environment());
  bind_server(module);
  bind_worker_channel(module);
}
