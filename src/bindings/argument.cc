// SPDX-License-Identifier: Apache-2.0
#include "bindings/argument.h"

#include <string>

#include "bindings/dtype_object.h"
#include "bindings/exceptions.h"
#include "bindings/numpy_exchange.h"
#include "bindings/objects.h"
#include "bindings/size_object.h"
#include "bindings/tensor_object.h"
#include "eager/dispatch.h"
#include "operator/descriptions.h"
#include "platform/error/error.h"
#include "tensor/number.h"

namespace mycel::bindings {

using op::AttributeType;
using platform::ErrorKind;

std::string type_name(PyObject* object) { return Py_TYPE(object)->tp_name; }

namespace {

std::int64_t int_from(PyObject* object) {
  const std::int64_t value = PyLong_AsLongLong(object);
  if (value == -1 && PyErr_Occurred() != nullptr) throw PythonError();
  return value;
}

double float_from(PyObject* object) {
  const double value = PyFloat_AsDouble(object);
  if (value == -1.0 && PyErr_Occurred() != nullptr) throw PythonError();
  return value;
}

Tensor complex_number(PyObject* object) {
  return eager::number_tensor(
      std::complex<double>(PyComplex_RealAsDouble(object), PyComplex_ImagAsDouble(object)));
}

// An int of 2**63 and more is taken as an unsigned number of 64 bits, beyond that as a float.
Tensor int_number(PyObject* object) {
  int overflow = 0;
  const std::int64_t value = PyLong_AsLongLongAndOverflow(object, &overflow);
  if (overflow == 0) return eager::number_tensor(value);
  return eager::number_tensor(PyLong_AsDouble(object));
}

}  // namespace

Tensor number_from(PyObject* object) {
  if (PyFloat_Check(object)) return eager::number_tensor(PyFloat_AS_DOUBLE(object));
  if (PyBool_Check(object)) return eager::number_tensor(object == Py_True);
  if (PyLong_Check(object)) {
    Tensor number = int_number(object);
    if (PyErr_Occurred() != nullptr) throw PythonError();
    return number;
  }
  if (PyComplex_Check(object)) return complex_number(object);
  if (is_size(object)) return size_of(object).operand();
  return Tensor();
}

Tensor operand_from(PyObject* object) {
  if (is_tensor(object)) return filled(object);
  if (Tensor number = number_from(object); number.defined()) return number;
  if (PyList_Check(object) || PyTuple_Check(object) || is_numpy_scalar(object))
    return tensor_from_python(object);
  return Tensor();
}

namespace {

[[noreturn]] void wrong_type(PyObject* object, const op::AttributeDef& definition,
                             std::string_view op) {
  op::refuse_kind(op, definition, type_name(object));
}

bool is_integer(PyObject* object) {
  if (PyBool_Check(object)) return false;
  if (PyLong_Check(object)) return true;
  if (is_tensor(object)) {
    const Tensor& tensor = tensor_of(object);
    return tensor.defined() && tensor.size() == 1 && tensor::is_integral(tensor.dtype());
  }
  return !PyFloat_Check(object) && PyIndex_Check(object) != 0;
}

std::int64_t integer_value(PyObject* object) {
  if (PyLong_Check(object)) return int_from(object);
  if (is_tensor(object)) return tensor_of(object).as_int();
  return int_from(owned(PyNumber_Index(object)).ptr());
}

tensor::IntList ints_from(PyObject* object, const op::AttributeDef& definition,
                          std::string_view op) {
  if (is_integer(object) && !(is_tensor(object) && tensor_of(object).rank() == 1))
    return {integer_value(object)};
  if (is_tensor(object)) {
    const Tensor& tensor = tensor_of(object);
    if (!tensor::is_integral(tensor.dtype()) || tensor.rank() > 1)
      wrong_type(object, definition, op);
    return tensor::whole_numbers(tensor);
  }
  tensor::IntList values;
  if (!PyList_Check(object) && !PyTuple_Check(object)) wrong_type(object, definition, op);
  PyObject** items = PySequence_Fast_ITEMS(object);
  const Py_ssize_t count = PySequence_Fast_GET_SIZE(object);
  for (Py_ssize_t i = 0; i < count; ++i) {
    const bool stands_for_one = items[i] == Py_None && definition.none_element;
    platform::require(stands_for_one || is_integer(items[i]), ErrorKind::Type, "For '", op,
                      "', every element of '", definition.name, "' must be int, but got ",
                      type_name(items[i]), " at position ", i, ".");
    values.push_back(stands_for_one ? *definition.none_element : integer_value(items[i]));
  }
  return values;
}

std::vector<double> floats_from(PyObject* object, const op::AttributeDef& definition,
                                std::string_view op) {
  if (PyFloat_Check(object) || PyLong_Check(object)) return {float_from(object)};
  if (!PyList_Check(object) && !PyTuple_Check(object)) wrong_type(object, definition, op);
  std::vector<double> values;
  for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(object); ++i) {
    values.push_back(float_from(PySequence_Fast_GET_ITEM(object, i)));
  }
  return values;
}

bool is_real(PyObject* object) {
  if (PyBool_Check(object)) return false;
  if (PyFloat_Check(object) || PyLong_Check(object)) return true;
  if (is_tensor(object)) return tensor_of(object).defined() && tensor_of(object).size() == 1;
  return is_numpy_scalar(object);
}

double real_value(PyObject* object) {
  return is_tensor(object) ? tensor_of(object).as_double() : float_from(object);
}

AttributeValue number_attribute(PyObject* object, const op::AttributeDef& definition,
                                std::string_view op) {
  if (PyBool_Check(object)) return AttributeValue(object == Py_True);
  if (is_integer(object)) return AttributeValue(integer_value(object));
  if (!is_real(object)) wrong_type(object, definition, op);
  return AttributeValue(real_value(object));
}

AttributeValue text_attribute(PyObject* object, const op::AttributeDef& definition,
                              std::string_view name) {
  if (!PyUnicode_Check(object)) wrong_type(object, definition, name);
  const char* content = PyUnicode_AsUTF8(object);
  if (content == nullptr) throw PythonError();
  op::require_choice(name, definition, content);
  return AttributeValue(content);
}

}  // namespace

AttributeValue attribute_from(PyObject* object, const op::AttributeDef& definition,
                              std::string_view op) {
  const bool may_be_left_out = definition.initial.is_none() && !definition.required;
  if (object == Py_None && (definition.none_allowed || may_be_left_out)) return {};
  switch (definition.type) {
    case AttributeType::Bool:
      if (!PyBool_Check(object)) wrong_type(object, definition, op);
      return AttributeValue(object == Py_True);
    case AttributeType::Int:
      if (!is_integer(object)) wrong_type(object, definition, op);
      return AttributeValue(integer_value(object));
    case AttributeType::Float:
      if (!is_real(object)) wrong_type(object, definition, op);
      return AttributeValue(real_value(object));
    case AttributeType::Number: return number_attribute(object, definition, op);
    case AttributeType::Text: return text_attribute(object, definition, op);
    case AttributeType::DType:
      if (!is_dtype(object)) wrong_type(object, definition, op);
      return AttributeValue(dtype_of(object));
    case AttributeType::Ints: return AttributeValue(ints_from(object, definition, op));
    case AttributeType::Floats: return AttributeValue(floats_from(object, definition, op));
  }
  return {};
}

}  // namespace mycel::bindings
