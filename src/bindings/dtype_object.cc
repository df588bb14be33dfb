// SPDX-License-Identifier: Apache-2.0
#include "bindings/dtype_object.h"

#include <array>
#include <string>

#include "bindings/type_slots.h"

namespace mycel::bindings {
namespace {

struct DTypeObject {
  PyObject_HEAD tensor::DType value;
};

std::array<PyObject*, tensor::kDTypeCount> objects;

tensor::DType value_of(PyObject* self) { return reinterpret_cast<DTypeObject*>(self)->value; }

PyObject* text(std::string_view content) {
  return PyUnicode_FromStringAndSize(content.data(), static_cast<Py_ssize_t>(content.size()));
}

PyObject* to_str(PyObject* self) { return text(tensor::name_of(value_of(self))); }
PyObject* to_repr(PyObject* self) {
  return text("mindspore." + std::string(tensor::python_name(value_of(self))));
}
// Pickled by name, as a global of this module.
PyObject* reduce(PyObject* self, PyObject*) { return text(tensor::python_name(value_of(self))); }

PyMethodDef methods[] = {{"__reduce__", reduce, METH_NOARGS, nullptr},
                         {nullptr, nullptr, 0, nullptr}};

PyType_Slot slots[] = {
    {Py_tp_str, slot(to_str)}, {Py_tp_repr, slot(to_repr)}, {Py_tp_methods, methods}, {0, nullptr}};

}  // namespace

PyTypeObject* dtype_type = nullptr;

tensor::DType dtype_of(PyObject* object) { return value_of(object); }
PyObject* dtype_object(tensor::DType dtype) { return objects[static_cast<std::size_t>(dtype)]; }

void make_dtypes(PyObject* module) {
  dtype_type = make_type("mindspore._c_expression.DType", sizeof(DTypeObject),
                         Py_TPFLAGS_DISALLOW_INSTANTIATION, slots);
  PyModule_AddObjectRef(module, "DType", reinterpret_cast<PyObject*>(dtype_type));
  for (int i = 0; i < tensor::kDTypeCount; ++i) {
    auto* object = PyObject_New(DTypeObject, dtype_type);
    object->value = static_cast<tensor::DType>(i);
    objects[static_cast<std::size_t>(i)] = reinterpret_cast<PyObject*>(object);
    PyModule_AddObjectRef(module, std::string(tensor::python_name(object->value)).c_str(),
                          reinterpret_cast<PyObject*>(object));
  }
}

}  // namespace mycel::bindings
