// SPDX-License-Identifier: Apache-2.0
#include "bindings/package_function.h"

#include <cstddef>
#include <span>

#include <structmember.h>

#include "bindings/objects.h"
#include "bindings/type_slots.h"

namespace mycel::bindings {
namespace {

namespace nb = nanobind;

struct PackageFunction {
  PyObject_HEAD vectorcallfunc call;
  PyObject* function;
  PyObject* attributes;
};

PackageFunction* cast(PyObject* object) { return reinterpret_cast<PackageFunction*>(object); }

PyTypeObject* function_type = nullptr;
PyObject* explainer = nullptr;

// What the explainer makes of an error of the function; null: nothing.
nb::object explained(PyObject* function, const nb::object& error, PyObject* const* arguments,
                     Py_ssize_t count, PyObject* names) {
  const nb::tuple given(list_of(std::span(arguments, static_cast<std::size_t>(count)),
                                [](PyObject* argument) { return nb::handle(argument); }));
  nb::dict named;
  for (Py_ssize_t i = 0; names != nullptr && i < PyTuple_GET_SIZE(names); ++i)
    named[nb::handle(PyTuple_GET_ITEM(names, i))] = nb::handle(arguments[count + i]);
  return nb::steal(PyObject_CallFunctionObjArgs(explainer, function, error.ptr(), given.ptr(),
                                                named.ptr(), nullptr));
}

// Replaces the error that is set by what the explainer makes of it; an error in there is dropped.
void explain(PyObject* function, PyObject* const* arguments, Py_ssize_t count, PyObject* names) {
  if (explainer == nullptr || PyErr_ExceptionMatches(PyExc_Exception) == 0) return;
  const nb::object error = take_error();
  const nb::object shown = explained(function, error, arguments, count, names);
  PyErr_Clear();
  const bool is_other = shown.is_valid() && PyExceptionInstance_Check(shown.ptr());
  if (is_other && !shown.is(error))
    PyErr_SetObject(shown.type().ptr(), shown.ptr());
  else
    set_error(error);
}

PyObject* call(PyObject* self, PyObject* const* arguments, std::size_t flags, PyObject* names) {
  PyObject* function = cast(self)->function;
  PyObject* result = PyObject_Vectorcall(function, arguments, flags, names);
  if (result == nullptr) [[unlikely]]
    explain(function, arguments, PyVectorcall_NARGS(flags), names);
  return result;
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

PyMemberDef members[] = {
    {"__wrapped__", T_OBJECT, offsetof(PackageFunction, function), READONLY, nullptr},
    {"__vectorcalloffset__", T_PYSSIZET, offsetof(PackageFunction, call), READONLY, nullptr},
    {"__dictoffset__", T_PYSSIZET, offsetof(PackageFunction, attributes), READONLY, nullptr},
    {nullptr, 0, 0, 0, nullptr}};
PyMethodDef methods[] = {{"__reduce__", reduce, METH_NOARGS, nullptr},
                         {nullptr, nullptr, 0, nullptr}};
// What the type has of its own would hide the function's.
PyGetSetDef properties[] = {
    property("__name__", of_function, "__name__"),
    property("__qualname__", of_function, "__qualname__"),
    property("__module__", of_function, "__module__"),
    property("__doc__", of_function, "__doc__"),
    {"__dict__", PyObject_GenericGetDict, PyObject_GenericSetDict, nullptr, nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr}};
PyType_Slot slots[] = {{Py_tp_call, slot(PyVectorcall_Call)},
                       {Py_tp_descr_get, slot(bind_method)},
                       {Py_tp_getattro, slot(attribute)},
                       {Py_tp_repr, slot(to_repr)},
                       {Py_tp_dealloc, slot(destroy)},
                       {Py_tp_traverse, slot(visit_parts)},
                       {Py_tp_clear, slot(clear)},
                       {Py_tp_members, members},
                       {Py_tp_methods, methods},
                       {Py_tp_getset, properties},
                       {0, nullptr}};

}  // namespace

PyTypeObject* make_package_function_type() {
  function_type = make_type("mindspore._c_expression.PackageFunction", sizeof(PackageFunction),
                            Py_TPFLAGS_HAVE_VECTORCALL | Py_TPFLAGS_HAVE_GC |
                                Py_TPFLAGS_METHOD_DESCRIPTOR | Py_TPFLAGS_DISALLOW_INSTANTIATION,
                            slots);
  return function_type;
}

PyObject* package_function(PyObject* function) {
  auto* made = PyObject_GC_New(PackageFunction, function_type);
  if (made == nullptr) return nullptr;
  made->call = call;
  made->function = Py_NewRef(function);
  made->attributes = nullptr;
  PyObject_GC_Track(reinterpret_cast<PyObject*>(made));
  return reinterpret_cast<PyObject*>(made);
}

void set_failure_explainer(PyObject* given) { keep(explainer, given); }

}  // namespace mycel::bindings
