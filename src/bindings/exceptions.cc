// SPDX-License-Identifier: Apache-2.0
#include "bindings/exceptions.h"

#include <new>
#include <string>

#include <frameobject.h>
#include <nanobind/nanobind.h>

#include "bindings/spelling.h"
#include "capture/declined.h"
#include "capture/script_writer.h"
#include "platform/error/error.h"

namespace mycel::bindings {
namespace {

using platform::ErrorKind;

std::string package_folder;

PyObject* python_class(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::Type: return PyExc_TypeError;
    case ErrorKind::Value: return PyExc_ValueError;
    case ErrorKind::Index: return PyExc_IndexError;
    case ErrorKind::Key: return PyExc_KeyError;
    case ErrorKind::Attribute: return PyExc_AttributeError;
    case ErrorKind::Runtime: return PyExc_RuntimeError;
    case ErrorKind::NotImplemented: return PyExc_NotImplementedError;
    case ErrorKind::Memory: return PyExc_MemoryError;
    case ErrorKind::Io: return PyExc_OSError;
    case ErrorKind::Internal: return PyExc_RuntimeError;
  }
  return PyExc_RuntimeError;
}

void raise(ErrorKind kind, const std::string& message) {
  std::string text =
      kind == ErrorKind::Internal ? "internal error: " + message : in_users_words(message);
  const ir::Position position = user_position();
  // What failed in a compiled function carries the line of its operator already.
  if (!position.file.empty() && text.find("\n  at ") == std::string::npos)
    text += "\n  at " + position.file + ":" + std::to_string(position.line);
  // What a message quotes of a damaged file may be no text.
  PyObject* const decoded =
      PyUnicode_DecodeUTF8(text.data(), static_cast<Py_ssize_t>(text.size()), "backslashreplace");
  if (decoded == nullptr) return;  // then that is the error
  PyErr_SetObject(python_class(kind), decoded);
  Py_DECREF(decoded);
}

}  // namespace

void set_package_folder(const char* folder) { package_folder = folder; }

namespace {

// Where the frame stands; nothing for code of the package.
ir::Position position_of(PyFrameObject* frame) {
  PyCodeObject* code = PyFrame_GetCode(frame);
  const char* file = PyUnicode_AsUTF8(code->co_filename);
  const bool ours = file == nullptr ||
                    (!package_folder.empty() && std::string_view(file).starts_with(package_folder));
  ir::Position position;
  if (!ours) position = {file, PyFrame_GetLineNumber(frame)};
  Py_DECREF(code);
  return position;
}

}  // namespace

ir::Position caller_position(int behind) {
  PyFrameObject* frame = PyEval_GetFrame();
  Py_XINCREF(frame);
  for (; frame != nullptr && behind > 0; --behind) {
    PyFrameObject* back = PyFrame_GetBack(frame);
    Py_DECREF(frame);
    frame = back;
  }
  if (frame == nullptr) return {};
  ir::Position position = position_of(frame);
  Py_DECREF(frame);
  return position;
}

ir::Position user_position() {
  PyFrameObject* frame = PyEval_GetFrame();
  Py_XINCREF(frame);
  ir::Position position;
  while (frame != nullptr && position.file.empty()) {
    position = position_of(frame);
    PyFrameObject* back = PyFrame_GetBack(frame);
    Py_DECREF(frame);
    frame = back;
  }
  Py_XDECREF(frame);
  return position;
}

PyObject* set_python_error() {
  // An error may depend on sizes, and Python may go on after it.
  if (capture::ScriptWriter* writer = capture::script_writer()) writer->mark("it raises an error");
  try {
    throw;
  } catch (const PythonError&) {
  } catch (nanobind::python_error& error) {
    error.restore();
  } catch (const capture::Declined& declined) {
    PyErr_SetString(declined_error, declined.what());
  } catch (const platform::Error& error) {
    raise(error.kind(), error.message());
  } catch (const std::bad_alloc&) {
    raise(ErrorKind::Memory, "the host is out of memory");
  } catch (const std::exception& error) {
    raise(ErrorKind::Runtime, error.what());
  } catch (...) {
    raise(ErrorKind::Internal, "unknown exception");
  }
  return nullptr;
}

}  // namespace mycel::bindings
