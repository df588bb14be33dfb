// SPDX-License-Identifier: Apache-2.0
// Types that are made of slots.
#pragma once

#include <Python.h>

namespace mycel::bindings {

template <class Function>
void* slot(Function* function) {
  return reinterpret_cast<void*>(function);
}

// A property that is read by a function which is told what is asked for.
inline PyGetSetDef property(const char* name, getter get, const char* asked) {
  return {name, get, nullptr, nullptr, const_cast<char*>(asked)};
}

// Functions that become methods of what they are read from.
inline PyObject* bind_method(PyObject* self, PyObject* instance, PyObject* /*owner*/) {
  if (instance == nullptr || instance == Py_None) return Py_NewRef(self);
  return PyMethod_New(self, instance);
}

// Null, and an error, when there is no memory.
inline PyTypeObject* make_type(const char* name, std::size_t bytes, unsigned long flags,
                               PyType_Slot* slots) {
  PyType_Spec spec{name, static_cast<int>(bytes), 0,
                   static_cast<unsigned>(Py_TPFLAGS_DEFAULT | flags), slots};
  return reinterpret_cast<PyTypeObject*>(PyType_FromSpec(&spec));
}

}  // namespace mycel::bindings
