// SPDX-License-Identifier: Apache-2.0
#include "bindings/attribute_object.h"

#include "bindings/objects.h"
#include "bindings/tensor_caster.h"

namespace mycel::bindings {

namespace nb = nanobind;

nb::object attribute_object(const op::AttributeValue& value) {
  if (value.is_none()) return nb::none();
  if (value.is_bool()) return nb::bool_(value.flag());
  if (value.is_int()) return nb::int_(value.integer());
  if (value.is_float()) return nb::float_(value.real());
  if (value.is_text()) return nb::str(value.text().c_str());
  if (value.is_dtype()) return nb::cast(value.dtype());
  return nb::tuple(value.is_ints() ? list_of(value.ints()) : list_of(value.reals()));
}

}  // namespace mycel::bindings
