// SPDX-License-Identifier: Apache-2.0
#include "bindings/number_stand_in.h"

#include <nanobind/nanobind.h>

#include "bindings/argument.h"
#include "bindings/parts.h"
#include "bindings/tensor_caster.h"

namespace mycel::bindings {

namespace nb = nanobind;

PyTypeObject* number_stand_in_type = nullptr;

void bind_numbers(nb::module_& module) {
  module.def("set_number_stand_in", [](nb::type_object type) {
    number_stand_in_type = reinterpret_cast<PyTypeObject*>(type.release().ptr());  // never freed
  });
  // A Python number as a tensor of one element, in the type that holds all such numbers.
  module.def("number_input", [](nb::handle value) {
    Tensor tensor = number_from(value.ptr());
    tensor.body().is_number = false;
    return tensor;
  });
}

}  // namespace mycel::bindings
