// SPDX-License-Identifier: Apache-2.0
#include "bindings/data/record_values.h"

#include "bindings/buffer_view.h"
#include "bindings/data/items.h"
#include "bindings/objects.h"

namespace mycel::bindings {

namespace nb = nanobind;
using namespace data;  // NOLINT: this file is about nothing else

namespace {

std::string_view type_of(nb::handle value) { return Py_TYPE(value.ptr())->tp_name; }

// numpy.int32 and its like; they are no Python numbers.
bool is_numpy_number(const RecordField& field, nb::handle value) {
  return type_of(value) == platform::join("numpy.", name_of(field.type));
}

CheckedValue mistaken(FieldMistake mistake) { return {{}, {}, std::move(mistake)}; }

CheckedValue check_integer(const RecordField& field, nb::handle value) {
  const bool is_int = PyLong_Check(value.ptr()) != 0 && PyBool_Check(value.ptr()) == 0;
  if (!is_int && !is_numpy_number(field, value)) return mistaken(wrong_kind(field, type_of(value)));
  int overflow = 0;
  const nb::object whole = owned(PyNumber_Index(value.ptr()));
  const std::int64_t number = PyLong_AsLongLongAndOverflow(whole.ptr(), &overflow);
  if (overflow != 0 || !field.holds(number))
    return mistaken(out_of_range(field, nb::str(value).c_str()));
  return {number, {}, {}};
}

CheckedValue check_real(const RecordField& field, nb::handle value) {
  if (PyFloat_Check(value.ptr()) == 0 && !is_numpy_number(field, value))
    return mistaken(wrong_kind(field, type_of(value)));
  return {PyFloat_AsDouble(value.ptr()), {}, {}};
}

CheckedValue check_text(const RecordField& field, nb::handle value) {
  if (PyUnicode_Check(value.ptr()) == 0) return mistaken(wrong_kind(field, type_of(value)));
  Py_ssize_t length = 0;
  const char* const text = PyUnicode_AsUTF8AndSize(value.ptr(), &length);
  if (text != nullptr) return {std::string_view(text, static_cast<std::size_t>(length)), {}, {}};
  PyErr_Clear();
  return mistaken(unwritable_text(field));
}

CheckedValue check_bytes(const RecordField& field, nb::handle value) {
  if (PyBytes_Check(value.ptr()) == 0) return mistaken(wrong_kind(field, type_of(value)));
  const auto bytes = nb::borrow<nb::bytes>(value);
  return {std::string_view(bytes.c_str(), bytes.size()), {}, {}};
}

CheckedValue check_array(const RecordField& field, nb::handle value) {
  const nb::module_ numpy = nb::module_::import_("numpy");
  if (!nb::isinstance(value, nb::object(numpy.attr("ndarray"))))
    return mistaken(wrong_kind(field, type_of(value)));
  Shape shape;
  for (const nb::handle length : nb::tuple(value.attr("shape")))
    shape.push_back(nb::cast<std::int64_t>(length));
  const nb::object type = value.attr("dtype");
  if (FieldMistake mistake = data::check_array(field, nb::str(type).c_str(), shape))
    return mistaken(std::move(mistake));
  nb::object dense = numpy.attr("ascontiguousarray")(value);
  // The array stays alive, and NumPy keeps its memory where it is.
  const void* const numbers = BufferView(dense).view().buf;
  return {ArrayValue{numbers, tensor::element_count(shape)}, std::move(dense), {}};
}

nb::object scalar_object(const RecordField& field, const ScalarValue& value) {
  if (const auto* text = std::get_if<std::string_view>(&value))
    return owned(
        PyUnicode_DecodeUTF8(text->data(), static_cast<Py_ssize_t>(text->size()), "strict"));
  const auto* integer = std::get_if<std::int64_t>(&value);
  if (integer == nullptr) return nb::float_(std::get<double>(value));
  // A whole number in a field of real numbers is one.
  return field.is_real() ? nb::object(nb::float_(static_cast<double>(*integer)))
                         : nb::object(nb::int_(*integer));
}

}  // namespace

CheckedValue check_value(const RecordField& field, const nb::dict& row) {
  PyObject* const value = PyDict_GetItemString(row.ptr(), field.name.c_str());
  if (value == nullptr) return mistaken(missing_value(field));
  if (field.is_array) return check_array(field, value);
  if (field.is_integer()) return check_integer(field, value);
  if (field.is_real()) return check_real(field, value);
  return field.type == FieldType::String ? check_text(field, value) : check_bytes(field, value);
}

nb::object record_object(const RecordField& field, const RowPart& part, int version) {
  if (!field.is_blob()) return scalar_object(field, part.scalar);
  if (!field.is_array) return nb::bytes(part.blob.data(), part.blob.size());
  return python_from_item(blob_item(field, part.blob, version));
}

}  // namespace mycel::bindings
