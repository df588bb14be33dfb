// SPDX-License-Identifier: Apache-2.0
#include "bindings/serving/values.h"

#include <memory>
#include <string_view>
#include <utility>

#include <nanobind/ndarray.h>

namespace mycel::bindings {

namespace nb = nanobind;
using namespace serving;  // NOLINT: this file is about nothing else

namespace {

nb::dlpack::dtype dtype_of(ElementType type) {
  const auto bits = static_cast<std::uint8_t>(8 * size_of(type));
  const auto make = [bits](nb::dlpack::dtype_code code) {
    return nb::dlpack::dtype{static_cast<std::uint8_t>(code), bits, 1};
  };
  switch (type) {
    case ElementType::Bool: return make(nb::dlpack::dtype_code::Bool);
    case ElementType::Int8:
    case ElementType::Int16:
    case ElementType::Int32:
    case ElementType::Int64: return make(nb::dlpack::dtype_code::Int);
    case ElementType::Float16:
    case ElementType::Float32:
    case ElementType::Float64: return make(nb::dlpack::dtype_code::Float);
    default: return make(nb::dlpack::dtype_code::UInt);  // NumPy has no bfloat16: its bits
  }
}

nb::object array_of(const Value& value, std::span<const std::byte> bytes,
                    const std::vector<std::size_t>& shape, nb::dlpack::dtype dtype) {
  auto owner = std::make_unique<std::shared_ptr<const void>>(value.owner);
  const nb::capsule capsule(owner.get(), [](void* kept) noexcept {
    delete static_cast<std::shared_ptr<const void>*>(kept);  // NOLINT: what a capsule holds
  });
  owner.release();  // NOLINT: the capsule has it
  // Whoever asked for the value may change it: a frame is nobody else's.
  auto* data = const_cast<std::byte*>(bytes.data());  // NOLINT
  return nb::cast(
      nb::ndarray<nb::numpy>(data, shape.size(), shape.data(), capsule, nullptr, dtype));
}

nb::object text_of(std::string_view text) {
  PyObject* made =
      PyUnicode_DecodeUTF8(text.data(), static_cast<Py_ssize_t>(text.size()), "surrogateescape");
  if (made == nullptr) throw nb::python_error();
  return nb::steal(made);
}

nb::object texts_of(const Value& value) {
  const auto parts = text_elements(value).value();
  const bool is_string = value.type == ElementType::String;
  if (parts.size() == 1) {
    if (is_string) return text_of(parts[0]);
    const auto bytes = std::as_bytes(std::span(parts[0]));
    return array_of(value, bytes, {bytes.size()}, dtype_of(ElementType::UInt8));
  }
  nb::list list;
  for (const std::string_view part : parts)
    list.append(is_string ? text_of(part) : nb::object(nb::bytes(part.data(), part.size())));
  nb::list dims;
  for (const std::int64_t length : value.dims) dims.append(length);
  return nb::module_::import_("numpy")
      .attr("array")(list, nb::arg("dtype") = "object")
      .attr("reshape")(dims);
}

template <class Number>
Value scalar(ElementType type, Number number) {
  return make_value(type, {}, std::as_bytes(std::span(&number, 1)));
}

// The type that a buffer's format names; Unknown for records, objects and other byte orders.
ElementType type_of(std::string_view format, std::size_t size) {
  if (!format.empty() && (format[0] == '@' || format[0] == '=' || format[0] == '<'))
    format.remove_prefix(1);
  if (format.size() != 1) return ElementType::Unknown;
  if (format == "?") return ElementType::Bool;
  const bool is_float = std::string_view("efd").find(format[0]) != std::string_view::npos;
  const bool is_signed = std::string_view("bhilq").find(format[0]) != std::string_view::npos;
  const bool is_unsigned = std::string_view("BHILQ").find(format[0]) != std::string_view::npos;
  if (!is_float && !is_signed && !is_unsigned) return ElementType::Unknown;
  const auto pick = [&](ElementType of_int, ElementType of_uint, ElementType of_float) {
    return is_float ? of_float : is_signed ? of_int : of_uint;
  };
  switch (size) {
    case 1: return pick(ElementType::Int8, ElementType::UInt8, ElementType::Unknown);
    case 2: return pick(ElementType::Int16, ElementType::UInt16, ElementType::Float16);
    case 4: return pick(ElementType::Int32, ElementType::UInt32, ElementType::Float32);
    case 8: return pick(ElementType::Int64, ElementType::UInt64, ElementType::Float64);
    default: return ElementType::Unknown;
  }
}

struct Buffer {
  explicit Buffer(PyObject* object) {
    has = PyObject_GetBuffer(object, &view, PyBUF_C_CONTIGUOUS | PyBUF_FORMAT) == 0;
    if (!has) PyErr_Clear();
  }
  ~Buffer() {
    if (has) PyBuffer_Release(&view);
  }
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;
  Py_buffer view{};
  bool has = false;
};

[[noreturn]] void refuse(nb::handle object) {
  throw nb::type_error(platform::join("a value of type ", nb::str(object.type()).c_str(),
                                      " cannot be sent: it is no array, number, bool, str or bytes")
                           .c_str());
}

Value array_value(nb::handle object) {
  const Buffer buffer(object.ptr());
  if (!buffer.has) refuse(object);
  const auto type = type_of(buffer.view.format == nullptr ? "B" : buffer.view.format,
                            static_cast<std::size_t>(buffer.view.itemsize));
  if (type == ElementType::Unknown) refuse(object);
  Value value;
  value.type = type;
  for (int axis = 0; axis < buffer.view.ndim; ++axis) value.dims.push_back(buffer.view.shape[axis]);
  value.bytes = {static_cast<const std::byte*>(buffer.view.buf),
                 static_cast<std::size_t>(buffer.view.len)};
  return value;
}

}  // namespace

nb::object python_from_value(const Value& value) {
  if (is_text(value.type)) return texts_of(value);
  const std::vector<std::size_t> shape(value.dims.begin(), value.dims.end());
  return array_of(value, value.bytes, shape, dtype_of(value.type));
}

Value value_from_python(nb::handle object) {
  PyObject* given = object.ptr();
  if (PyBytes_Check(given)) {
    const std::string_view text(PyBytes_AS_STRING(given),
                                static_cast<std::size_t>(PyBytes_GET_SIZE(given)));
    return make_text(ElementType::Bytes, {1}, std::span(&text, 1));
  }
  if (PyUnicode_Check(given)) {
    const nb::object bytes =
        nb::steal(PyUnicode_AsEncodedString(given, "utf-8", "surrogateescape"));
    if (!bytes.is_valid()) throw nb::python_error();
    const std::string_view text(PyBytes_AS_STRING(bytes.ptr()),
                                static_cast<std::size_t>(PyBytes_GET_SIZE(bytes.ptr())));
    return make_text(ElementType::String, {1}, std::span(&text, 1));
  }
  if (PyBool_Check(given)) return scalar(ElementType::Bool, given == Py_True);
  if (PyLong_Check(given)) {
    const long long number = PyLong_AsLongLong(given);
    if (number == -1 && PyErr_Occurred() != nullptr) throw nb::python_error();
    return scalar(ElementType::Int64, static_cast<std::int64_t>(number));
  }
  // numpy.float64 is a float, too, and looks no different.
  if (PyFloat_Check(given)) return scalar(ElementType::Float64, PyFloat_AS_DOUBLE(given));
  return array_value(object);
}

nb::tuple python_from_instance(const Instance& instance) {
  const nb::object made = nb::steal(PyTuple_New(static_cast<Py_ssize_t>(instance.size())));
  if (!made.is_valid()) throw nb::python_error();
  for (std::size_t i = 0; i < instance.size(); ++i)
    PyTuple_SET_ITEM(made.ptr(), static_cast<Py_ssize_t>(i),
                     python_from_value(instance[i]).release().ptr());
  return nb::borrow<nb::tuple>(made);
}

Instance instance_from_python(nb::handle values) {
  Instance instance;
  for (const nb::handle value : values) instance.push_back(value_from_python(value));
  return instance;
}

}  // namespace mycel::bindings
