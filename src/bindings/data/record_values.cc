// SPDX-License-Identifier: Apache-2.0
#include "bindings/data/record_values.h"

#include <cstring>
#include <limits>

#include "bindings/data/items.h"
#include "bindings/exceptions.h"
#include "platform/error/error.h"

namespace mycel::bindings {

namespace nb = nanobind;
using namespace data;  // NOLINT: this file is about nothing else
using platform::join;

namespace {

std::string_view type_of(nb::handle value) { return Py_TYPE(value.ptr())->tp_name; }

// numpy.int32 and its like; they are no Python numbers.
bool is_numpy_number(const RecordField& field, nb::handle value) {
  return type_of(value) == join("numpy.", name_of(field.type));
}

CheckedValue mistaken(const RecordField& field, nb::handle value) {
  CheckedValue result;
  result.mistake = join("field '", field.name, "' is ", field,
                        " in the schema, but the data is of type ", type_of(value));
  return result;
}

CheckedValue check_integer(const RecordField& field, nb::handle value) {
  const bool is_int = PyLong_Check(value.ptr()) != 0 && PyBool_Check(value.ptr()) == 0;
  if (!is_int && !is_numpy_number(field, value)) return mistaken(field, value);
  int overflow = 0;
  const nb::object whole = nb::steal(PyNumber_Index(value.ptr()));
  if (!whole.is_valid()) throw nb::python_error();
  const long long number = PyLong_AsLongLongAndOverflow(whole.ptr(), &overflow);
  CheckedValue result;
  result.value = static_cast<std::int64_t>(number);
  if (overflow != 0 ||
      (field.type == FieldType::Int32 && number != static_cast<std::int32_t>(number)))
    result.mistake = join("field '", field.name, "' is ", field, " in the schema, but the value ",
                          nb::str(value).c_str(), " is out of its range");
  return result;
}

CheckedValue check_real(const RecordField& field, nb::handle value) {
  if (PyFloat_Check(value.ptr()) == 0 && !is_numpy_number(field, value))
    return mistaken(field, value);
  CheckedValue result;
  result.value = PyFloat_AsDouble(value.ptr());
  return result;
}

CheckedValue check_text(const RecordField& field, nb::handle value) {
  if (PyUnicode_Check(value.ptr()) == 0) return mistaken(field, value);
  Py_ssize_t length = 0;
  const char* const text = PyUnicode_AsUTF8AndSize(value.ptr(), &length);
  CheckedValue result;
  if (text == nullptr) {
    PyErr_Clear();
    result.mistake = join("field '", field.name, "' holds text that cannot be written as UTF-8");
    return result;
  }
  result.value = std::string_view(text, static_cast<std::size_t>(length));
  return result;
}

CheckedValue check_bytes(const RecordField& field, nb::handle value) {
  if (PyBytes_Check(value.ptr()) == 0) return mistaken(field, value);
  CheckedValue result;
  result.value = std::string_view(PyBytes_AS_STRING(value.ptr()),
                                  static_cast<std::size_t>(PyBytes_GET_SIZE(value.ptr())));
  return result;
}

Shape shape_of(nb::handle array) {
  Shape shape;
  for (const nb::handle length : nb::tuple(array.attr("shape")))
    shape.push_back(nb::cast<std::int64_t>(length));
  return shape;
}

// The address of a contiguous array's numbers.
const void* address_of(nb::handle array) {
  Py_buffer view;
  if (PyObject_GetBuffer(array.ptr(), &view, PyBUF_C_CONTIGUOUS) != 0) throw nb::python_error();
  const void* const data = view.buf;
  PyBuffer_Release(&view);  // the array stays alive, and NumPy keeps its memory where it is
  return data;
}

CheckedValue check_array(const RecordField& field, nb::handle value) {
  const nb::module_ numpy = nb::module_::import_("numpy");
  if (!nb::isinstance(value, nb::object(numpy.attr("ndarray")))) return mistaken(field, value);
  CheckedValue result;
  const nb::object type = value.attr("dtype");
  const std::string dtype = nb::str(nb::handle(type)).c_str();
  const Shape shape = shape_of(value);
  if (dtype != name_of(field.type) || !shape_agrees(field.shape, shape)) {
    result.is_array_mistake = true;
    result.mistake =
        join("field '", field.name, "' is ", field, " in the schema, but the data is an array of ",
             dtype, " with shape ", tensor::to_string(shape));
    return result;
  }
  result.owner = numpy.attr("ascontiguousarray")(value);
  result.value = ArrayValue{address_of(result.owner), tensor::element_count(shape)};
  return result;
}

nb::object scalar_object(const RecordField& field, const ScalarValue& value) {
  if (const auto* text = std::get_if<std::string_view>(&value)) {
    PyObject* const made =
        PyUnicode_DecodeUTF8(text->data(), static_cast<Py_ssize_t>(text->size()), "strict");
    if (made == nullptr) throw nb::python_error();
    return nb::steal(made);
  }
  const auto* integer = std::get_if<std::int64_t>(&value);
  if (integer == nullptr) return nb::float_(std::get<double>(value));
  // A whole number in a field of real numbers is one.
  return field.is_real() ? nb::object(nb::float_(static_cast<double>(*integer)))
                         : nb::object(nb::int_(*integer));
}

}  // namespace

CheckedValue check_value(const RecordField& field, nb::handle value) {
  if (field.is_array) return check_array(field, value);
  if (field.is_integer()) return check_integer(field, value);
  if (field.is_real()) return check_real(field, value);
  return field.type == FieldType::String ? check_text(field, value) : check_bytes(field, value);
}

Item record_item(const RecordField& field, const CheckedValue& value) {
  if (const auto* array = std::get_if<ArrayValue>(&value.value))
    return blob_item(field,
                     {static_cast<const char*>(array->data),
                      static_cast<std::size_t>(array->elements) * field.element_bytes()},
                     2);
  if (field.is_blob()) return blob_item(field, std::get<std::string_view>(value.value), 2);
  if (const auto* integer = std::get_if<std::int64_t>(&value.value))
    return scalar_item(field, *integer);
  if (const auto* real = std::get_if<double>(&value.value)) return scalar_item(field, *real);
  return scalar_item(field, std::get<std::string_view>(value.value));
}

nb::object record_object(const RecordField& field, const RowPart& part, int version) {
  if (!field.is_blob()) return scalar_object(field, part.scalar);
  if (!field.is_array) return nb::bytes(part.blob.data(), part.blob.size());
  PyObject* const array = python_from_item(blob_item(field, part.blob, version));
  if (array == nullptr) throw nb::python_error();
  return nb::steal(array);
}

}  // namespace mycel::bindings
