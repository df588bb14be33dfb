// SPDX-License-Identifier: Apache-2.0
#include "bindings/package_function.h"

#include <cstddef>

#include <structmember.h>

namespace mycel::bindings {
namespace {

struct PackageFunction {
  PyObject_HEAD vectorcallfunc call;
  PyObject* function;
  PyObject* attributes;
};

PackageFunction* cast(PyObject* object) { return reinterpret_cast<PackageFunction*>(object); }

PyTypeObject* function_type = nullptr;
PyObject* explainer = nullptr;

// The arguments of a vectorcall as a tuple and a dict.
PyObject* positional(PyObject* const* arguments, Py_ssize_t count) {
  PyObject* tuple = PyTuple_New(count);
  for (Py_ssize_t i = 0; i < count && tuple != nullptr; ++i) {
    Py_INCREF(arguments[i]);
    PyTuple_SET_ITEM(tuple, i, arguments[i]);
  }
  return tuple;
}

PyObject* by_name(PyObject* const* arguments, Py_ssize_t count, PyObject* names) {
  PyObject* dict = PyDict_New();
  const Py_ssize_t given = names == nullptr ? 0 : PyTuple_GET_SIZE(names);
  for (Py_ssize_t i = 0; i < given && dict != nullptr; ++i)
    PyDict_SetItem(dict, PyTuple_GET_ITEM(names, i), arguments[count + i]);
  return dict;
}

// Replaces the error that is set by what the explainer makes of it; an error in there is dropped.
void explain(PyObject* function, PyObject* const* arguments, Py_ssize_t count, PyObject* names) {
  if (explainer == nullptr || PyErr_ExceptionMatches(PyExc_Exception) == 0) return;
  PyObject *type = nullptr, *error = nullptr, *traceback = nullptr;
  PyErr_Fetch(&type, &error, &traceback);
  PyErr_NormalizeException(&type, &error, &traceback);
  if (traceback != nullptr) PyException_SetTraceback(error, traceback);
  PyObject* given = positional(arguments, count);
  PyObject* named = by_name(arguments, count, names);
  PyObject* shown =
      given == nullptr || named == nullptr
          ? nullptr
          : PyObject_CallFunctionObjArgs(explainer, function, error, given, named, nullptr);
  Py_XDECREF(given);
  Py_XDECREF(named);
  if (shown == nullptr || shown == error || !PyExceptionInstance_Check(shown)) {
    PyErr_Clear();
    Py_XDECREF(shown);
    PyErr_Restore(type, error, traceback);
    return;
  }
  PyErr_SetObject(reinterpret_cast<PyObject*>(Py_TYPE(shown)), shown);
  Py_DECREF(shown);
  Py_XDECREF(type);
  Py_XDECREF(error);
  Py_XDECREF(traceback);
}

PyObject* call(PyObject* self, PyObject* const* arguments, std::size_t flags, PyObject* names) {
  PyObject* function = cast(self)->function;
  PyObject* result = PyObject_Vectorcall(function, arguments, flags, names);
  if (result == nullptr) [[unlikely]]
    explain(function, arguments, PyVectorcall_NARGS(flags), names);
  return result;
}

PyObject* bind(PyObject* self, PyObject* instance, PyObject* /*owner*/) {
  if (instance != nullptr && instance != Py_None) return PyMethod_New(self, instance);
  Py_INCREF(self);
  return self;
}

// Name, documentation and everything else are those of the function.
PyObject* attribute(PyObject* self, PyObject* name) {
  PyObject* found = PyObject_GenericGetAttr(self, name);
  if (found != nullptr || PyErr_ExceptionMatches(PyExc_AttributeError) == 0) return found;
  PyErr_Clear();
  return PyObject_GetAttr(cast(self)->function, name);
}

PyObject* of_function(PyObject* self, void* name) {
  return PyObject_GetAttrString(cast(self)->function, static_cast<const char*>(name));
}

PyObject* to_repr(PyObject* self) { return PyObject_Repr(cast(self)->function); }

// It is found again by its name, as functions are.
PyObject* reduce(PyObject* self, PyObject* /*none*/) {
  return PyObject_GetAttrString(cast(self)->function, "__name__");
}

int visit_parts(PyObject* self, visitproc visit, void* arg) {
  Py_VISIT(cast(self)->function);
  Py_VISIT(cast(self)->attributes);
  Py_VISIT(Py_TYPE(self));
  return 0;
}

int clear(PyObject* self) {
  Py_CLEAR(cast(self)->function);
  Py_CLEAR(cast(self)->attributes);
  return 0;
}

void destroy(PyObject* self) {
  PyTypeObject* type = Py_TYPE(self);
  PyObject_GC_UnTrack(self);
  clear(self);
  PyObject_GC_Del(self);
  Py_DECREF(type);
}

void* attribute_name(const char* name) { return const_cast<char*>(name); }

PyMemberDef members[] = {
    {"__wrapped__", T_OBJECT, offsetof(PackageFunction, function), READONLY, nullptr},
    {"__vectorcalloffset__", T_PYSSIZET, offsetof(PackageFunction, call), READONLY, nullptr},
    {"__dictoffset__", T_PYSSIZET, offsetof(PackageFunction, attributes), READONLY, nullptr},
    {nullptr, 0, 0, 0, nullptr}};
PyMethodDef methods[] = {{"__reduce__", reduce, METH_NOARGS, nullptr},
                         {nullptr, nullptr, 0, nullptr}};
// What the type has of its own would hide the function's.
PyGetSetDef properties[] = {
    {"__name__", of_function, nullptr, nullptr, attribute_name("__name__")},
    {"__qualname__", of_function, nullptr, nullptr, attribute_name("__qualname__")},
    {"__module__", of_function, nullptr, nullptr, attribute_name("__module__")},
    {"__doc__", of_function, nullptr, nullptr, attribute_name("__doc__")},
    {"__dict__", PyObject_GenericGetDict, PyObject_GenericSetDict, nullptr, nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr}};
PyType_Slot slots[] = {{Py_tp_call, reinterpret_cast<void*>(PyVectorcall_Call)},
                       {Py_tp_descr_get, reinterpret_cast<void*>(bind)},
                       {Py_tp_getattro, reinterpret_cast<void*>(attribute)},
                       {Py_tp_repr, reinterpret_cast<void*>(to_repr)},
                       {Py_tp_dealloc, reinterpret_cast<void*>(destroy)},
                       {Py_tp_traverse, reinterpret_cast<void*>(visit_parts)},
                       {Py_tp_clear, reinterpret_cast<void*>(clear)},
                       {Py_tp_members, members},
                       {Py_tp_methods, methods},
                       {Py_tp_getset, properties},
                       {0, nullptr}};
PyType_Spec spec = {"mindspore._c_expression.PackageFunction", sizeof(PackageFunction), 0,
                    Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_VECTORCALL | Py_TPFLAGS_HAVE_GC |
                        Py_TPFLAGS_METHOD_DESCRIPTOR | Py_TPFLAGS_DISALLOW_INSTANTIATION,
                    slots};

}  // namespace

PyTypeObject* make_package_function_type() {
  function_type = reinterpret_cast<PyTypeObject*>(PyType_FromSpec(&spec));
  return function_type;
}

PyObject* package_function(PyObject* function) {
  auto* made = PyObject_GC_New(PackageFunction, function_type);
  if (made == nullptr) return nullptr;
  made->call = call;
  Py_INCREF(function);
  made->function = function;
  made->attributes = nullptr;
  PyObject_GC_Track(reinterpret_cast<PyObject*>(made));
  return reinterpret_cast<PyObject*>(made);
}

void set_failure_explainer(PyObject* given) {
  Py_XINCREF(given);
  Py_XSETREF(explainer, given);
}

}  // namespace mycel::bindings
