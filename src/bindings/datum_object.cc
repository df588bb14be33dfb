// SPDX-License-Identifier: Apache-2.0
#include "bindings/datum_object.h"

#include <nanobind/nanobind.h>

#include "bindings/dtype_object.h"
#include "bindings/objects.h"
#include "bindings/tensor_object.h"
#include "eager/dispatch.h"

namespace mycel::bindings {

namespace nb = nanobind;
using op::Datum;

namespace {

// An object of which a stored program knows nothing.
struct PythonObject final : op::Opaque {
  explicit PythonObject(nb::handle object) : held(bindings::held(object)) {}
  std::string_view kind() const override { return Py_TYPE(held->ptr())->tp_name; }
  HeldPtr held;
};

// The other way: what Python passes on without knowing what it is.
struct OpaqueHandle {
  Datum datum;
};

}  // namespace

std::vector<Datum> datums_from(nb::handle sequence) {
  std::vector<Datum> items;
  for (const nb::handle item : sequence) items.push_back(datum_from(item));
  return items;
}

Datum datum_from(nb::handle object) {
  PyObject* const pointer = object.ptr();
  if (object.is_none()) return {};
  if (is_tensor(pointer)) return Datum(op::Value(&eager::emitter(), filled(pointer)));
  if (PyBool_Check(pointer)) return Datum(pointer == Py_True);
  if (PyLong_Check(pointer)) {
    int overflow = 0;
    const std::int64_t value = PyLong_AsLongLongAndOverflow(pointer, &overflow);
    return overflow == 0 ? Datum(value) : Datum(PyLong_AsDouble(pointer));
  }
  if (PyFloat_Check(pointer)) return Datum(PyFloat_AS_DOUBLE(pointer));
  if (PyUnicode_Check(pointer)) return Datum(std::string(nb::cast<nb::str>(object).c_str()));
  if (is_dtype(pointer)) return Datum(dtype_of(pointer));
  if (PyDict_Check(pointer)) {
    std::vector<std::pair<Datum, Datum>> entries;
    for (const auto& [key, value] : nb::borrow<nb::dict>(object))
      entries.emplace_back(datum_from(key), datum_from(value));
    return Datum(std::make_shared<op::Dictionary>(std::move(entries)));
  }
  if (PyList_Check(pointer)) return Datum::list(datums_from(object));
  if (PyTuple_Check(pointer)) return Datum::tuple(datums_from(object));
  if (nb::isinstance<OpaqueHandle>(object)) return nb::cast<OpaqueHandle&>(object).datum;
  return Datum(std::make_shared<PythonObject>(object));
}

nb::object object_from(const Datum& datum) {
  if (datum.is_none()) return nb::none();
  if (datum.is_tensor()) return nb::steal(wrap(datum.tensor().tensor()));
  if (datum.is_bool()) return nb::bool_(datum.flag());
  if (datum.is_int()) return nb::int_(datum.integer());
  if (datum.is_real()) return nb::float_(datum.real());
  if (datum.is_text()) return text_object(datum.text());
  if (datum.is_dtype()) return nb::borrow(dtype_object(datum.dtype()));
  if (datum.is_sequence()) {
    const nb::list items = list_of(datum.items(), object_from);
    return datum.is_list() ? nb::object(items) : nb::object(nb::tuple(items));
  }
  if (const auto known = datum.opaque<PythonObject>()) return *known->held;
  if (const auto number = datum.opaque<op::LargeNumber>()) return nb::int_(number->value);
  if (const auto dictionary = datum.opaque<op::Dictionary>()) {
    nb::dict made;
    for (const auto& [key, value] : dictionary->entries)
      made[object_from(key)] = object_from(value);
    return made;
  }
  return nb::cast(OpaqueHandle{datum});
}

void bind_datums(nb::module_& module) { nb::class_<OpaqueHandle>(module, "StoredFunction"); }

}  // namespace mycel::bindings
