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

namespace nb = nanobind;
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
  const nb::object decoded = nb::steal(
      PyUnicode_DecodeUTF8(text.data(), static_cast<Py_ssize_t>(text.size()), "backslashreplace"));
  if (decoded.is_valid()) PyErr_SetObject(python_class(kind), decoded.ptr());
}

}  // namespace

void set_package_folder(const char* folder) { package_folder = folder; }

namespace {

PyFrameObject* as_frame(const nb::object& object) {
  return reinterpret_cast<PyFrameObject*>(object.ptr());
}

nb::object innermost_frame() { return nb::borrow(reinterpret_cast<PyObject*>(PyEval_GetFrame())); }

nb::object frame_behind(const nb::object& frame) {
  return nb::steal(reinterpret_cast<PyObject*>(PyFrame_GetBack(as_frame(frame))));
}

// Where the frame stands; nothing for code of the package.
ir::Position position_of(const nb::object& frame) {
  const nb::object code = nb::steal(reinterpret_cast<PyObject*>(PyFrame_GetCode(as_frame(frame))));
  const char* file = PyUnicode_AsUTF8(reinterpret_cast<PyCodeObject*>(code.ptr())->co_filename);
  const bool ours = file == nullptr ||
                    (!package_folder.empty() && std::string_view(file).starts_with(package_folder));
  if (ours) return {};
  return {file, PyFrame_GetLineNumber(as_frame(frame))};
}

}  // namespace

ir::Position caller_position(int behind) {
  nb::object frame = innermost_frame();
  for (; frame.is_valid() && behind > 0; --behind) frame = frame_behind(frame);
  return frame.is_valid() ? position_of(frame) : ir::Position();
}

ir::Position user_position() {
  ir::Position position;
  for (nb::object frame = innermost_frame(); frame.is_valid() && position.file.empty();
       frame = frame_behind(frame))
    position = position_of(frame);
  return position;
}

PyObject* set_python_error() {
  // An error may depend on sizes, and Python may go on after it.
  if (capture::ScriptWriter* writer = capture::script_writer()) writer->mark("it raises an error");
  try {
    throw;
  } catch (const PythonError&) {
  } catch (nb::python_error& error) {
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
