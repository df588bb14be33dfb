// SPDX-License-Identifier: Apache-2.0
#include "bindings/number_stand_in.h"

#include <nanobind/nanobind.h>

#include "bindings/argument.h"
#include "bindings/exceptions.h"
#include "bindings/parts.h"
#include "bindings/tensor_caster.h"

namespace mycel::bindings {

namespace nb = nanobind;

PyTypeObject* number_stand_in_type = nullptr;

nb::object plain_number(PyObject* object) {
  if (!is_number_stand_in(object)) return nb::borrow(object);
  nb::object number = nb::steal(PyObject_CallMethod(object, "number", nullptr));
  if (!number.is_valid()) throw PythonError();
  return number;
}

nb::object operand_beside(PyObject* object, const std::string& op, PyObject* tensor) {
  nb::object operand =
      nb::steal(PyObject_CallMethod(object, "operand_beside", "sO", op.c_str(), tensor));
  if (!operand.is_valid()) throw PythonError();
  return operand;
}

void bind_numbers(nb::module_& module) {
  module.def("set_number_stand_in", [](nb::type_object type) {
    number_stand_in_type = reinterpret_cast<PyTypeObject*>(type.release().ptr());  // never freed
  });
  module.def(
      "plain_number", [](nb::handle object) { return plain_number(object.ptr()); },
      nb::arg("object").none());
  // A Python number as a tensor of one element, in the type that holds all such numbers.
  module.def("number_input", [](nb::handle value) {
    Tensor tensor = number_from(value.ptr());
    tensor.body().is_number = false;
    return tensor;
  });
}

}  // namespace mycel::bindings
