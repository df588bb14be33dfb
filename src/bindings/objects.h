// SPDX-License-Identifier: Apache-2.0
// What conversions do with Python objects again and again.
#pragma once

#include <memory>
#include <string_view>
#include <utility>

#include <nanobind/nanobind.h>

#include "bindings/exceptions.h"

namespace mycel::bindings {

// Takes over a reference that the interpreter made; throws the error that is set if it made none.
inline nanobind::object owned(PyObject* made) {
  if (made == nullptr) throw PythonError();
  return nanobind::steal(made);
}

// Does what may take long while other Python threads go on.
template <class Work>
auto unlocked(const Work& work) {
  const nanobind::gil_scoped_release release;
  return work();
}

// Takes the error that is set away: the exception, with its traceback; or nothing.
inline nanobind::object take_error() {
  PyObject *type = nullptr, *value = nullptr, *traceback = nullptr;
  PyErr_Fetch(&type, &value, &traceback);
  PyErr_NormalizeException(&type, &value, &traceback);
  if (traceback != nullptr) PyException_SetTraceback(value, traceback);
  Py_XDECREF(type);
  Py_XDECREF(traceback);
  return nanobind::steal(value);
}
// Sets an error, in place of another one.
inline void set_error(nanobind::handle exception) {
  PyErr_Restore(Py_NewRef(exception.type().ptr()), exception.inc_ref().ptr(),
                PyException_GetTraceback(exception.ptr()));
}

// Puts an object that the package gives in a place where it stays until there is another one.
inline void keep(PyObject*& place, PyObject* given) {
  Py_XINCREF(given);
  Py_XSETREF(place, given);
}

inline nanobind::str text_object(std::string_view text) {
  return nanobind::str(text.data(), text.size());
}

inline nanobind::bytes bytes_object(std::string_view content) {
  return nanobind::bytes(content.data(), content.size());
}
inline std::string_view bytes_in(const nanobind::bytes& object) {
  return {object.c_str(), object.size()};
}

// What `convert` makes of each element.
template <class Range, class Convert>
nanobind::list list_of(const Range& range, const Convert& convert) {
  nanobind::list list;
  for (const auto& element : range) list.append(convert(element));
  return list;
}
template <class Range>
nanobind::list list_of(const Range& range) {
  return list_of(
      range, [](const auto& element) -> const auto& { return element; });
}

// Shares something that holds Python objects: it is let go under the interpreter lock, whoever has
// it last. What outlives the interpreter is never freed.
template <class T>
std::shared_ptr<T> shared_under_lock(T value) {
  return std::shared_ptr<T>(new T(std::move(value)), [](T* held) {
    if (Py_IsInitialized() == 0) return;
    const nanobind::gil_scoped_acquire lock;
    delete held;
  });
}

// A reference that any thread may drop.
using HeldPtr = std::shared_ptr<nanobind::object>;
inline HeldPtr held(nanobind::handle object) { return shared_under_lock(nanobind::borrow(object)); }

}  // namespace mycel::bindings
