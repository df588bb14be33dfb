// SPDX-License-Identifier: Apache-2.0
#include "bindings/data/items.h"

#include <string_view>

#include "bindings/data/array_layout.h"
#include "bindings/data/parts.h"
#include "bindings/objects.h"
#include "data/lent_array.h"
#include "tensor/transit.h"

namespace mycel::bindings {

namespace nb = nanobind;
using data::DType;
using data::Item;
using data::Items;
using data::Ref;
using data::Shape;
using data::TextArray;
using platform::ErrorKind;
using platform::fail;

namespace {

PyObject* make_array = nullptr;
PyObject* split_texts = nullptr;
PyObject* make_text_array = nullptr;
PyObject* make_text_tensor = nullptr;

// A Python object that travels in a row: a dict, or a Pillow image between two functions.
struct PythonObject : data::ForeignObject {
  explicit PythonObject(PyObject* object) : held(bindings::held(object)) {}
  std::string type_name() const override { return Py_TYPE(held->ptr())->tp_name; }
  HeldPtr held;
};

std::string_view type_name_of(PyObject* object) { return Py_TYPE(object)->tp_name; }

PyTypeObject* array_type = nullptr;

std::string text_of(PyObject* text) {
  Py_ssize_t length = 0;
  const char* characters = PyUnicode_AsUTF8AndSize(text, &length);
  if (characters == nullptr) throw PythonError();
  return {characters, static_cast<std::size_t>(length)};
}

std::string bytes_of_object(PyObject* bytes) {
  return {PyBytes_AS_STRING(bytes), static_cast<std::size_t>(PyBytes_GET_SIZE(bytes))};
}

Item text_item(PyObject* array) {
  const auto parts = nb::borrow<nb::tuple>(owned(PyObject_CallOneArg(split_texts, array)));
  const bool is_bytes = parts[2].ptr() == Py_True;
  std::vector<std::string> values;
  for (const nb::handle value : nb::borrow<nb::list>(parts[0]))
    values.push_back(is_bytes ? bytes_of_object(value.ptr()) : text_of(value.ptr()));
  Shape shape;
  for (const nb::handle length : nb::borrow<nb::tuple>(parts[1]))
    shape.push_back(PyLong_AsLongLong(length.ptr()));
  return Ref<TextArray>(new TextArray(std::move(values), shape, is_bytes));
}

// The kind of an array's elements, as NumPy says it: 'f', 'i', 'U', 'O' and so on.
char kind_of(PyObject* array) {
  return text_of(nb::object(nb::handle(array).attr("dtype").attr("kind")).ptr())[0];
}

Item array_item(PyObject* array) {
  try {
    return bridge().tensor_from_buffer(array, false);
  } catch (const platform::Error&) {  // no number: text, or nothing we know
  } catch (const PythonError&) {
    PyErr_Clear();
  }
  const char kind = kind_of(array);
  if (kind == 'U' || kind == 'S') return text_item(array);
  fail(ErrorKind::Runtime, "Failed to create tensor from numpy array, data type is unknown.");
}

Item other_item(PyObject* object, bool keep_objects) {
  if (keep_objects && !PyList_Check(object) && !PyTuple_Check(object))
    return Ref<data::ForeignObject>(new PythonObject(object));
  const nb::object array = owned(PyObject_CallOneArg(make_array, object));
  return array_item(array.ptr());
}

}  // namespace

bool is_array(PyObject* object) {
  return Py_TYPE(object) == array_type || PyType_IsSubtype(Py_TYPE(object), array_type) != 0;
}

namespace {

template <class T>
bool write_number(T value, DType dtype, std::size_t column, data::RowSink& sink) {
  void* place = sink.place(column, dtype, {});
  if (place == nullptr) return false;
  *static_cast<T*>(place) = value;
  return true;
}

bool write_value(PyObject* value, std::size_t column, data::RowSink& sink) {
  if (Py_TYPE(value) == array_type) return write_plain_array(value, column, sink);
  if (PyLong_CheckExact(value) != 0) {
    int overflow = 0;
    const long long number = PyLong_AsLongLongAndOverflow(value, &overflow);
    return overflow == 0 && write_number<std::int64_t>(number, DType::Int64, column, sink);
  }
  if (PyFloat_CheckExact(value) != 0)
    return write_number(PyFloat_AS_DOUBLE(value), DType::Float64, column, sink);
  return PyBool_Check(value) != 0 && write_number(value == Py_True, DType::Bool, column, sink);
}

}  // namespace

bool write_row(PyObject* row, std::size_t columns, data::RowSink& sink) {
  if (PyTuple_Check(row) == 0) return columns == 1 && write_value(row, 0, sink);
  if (static_cast<std::size_t>(PyTuple_GET_SIZE(row)) != columns) return false;
  for (std::size_t i = 0; i < columns; ++i)
    if (!write_value(PyTuple_GET_ITEM(row, static_cast<Py_ssize_t>(i)), i, sink)) return false;
  return true;
}

Item item_from_python(PyObject* object, bool keep_objects) {
  if (is_array(object)) {
    if (std::optional<data::Tensor> copy = copy_plain_array(object)) return *std::move(copy);
    return array_item(object);
  }
  if (PyBool_Check(object) != 0) return Item::scalar<bool>(object == Py_True, DType::Bool);
  if (PyLong_CheckExact(object) != 0) {
    const long long value = PyLong_AsLongLong(object);
    if (value == -1 && PyErr_Occurred() != nullptr) {
      PyErr_Clear();
      return other_item(object, keep_objects);
    }
    return Item::scalar<std::int64_t>(value, DType::Int64);
  }
  if (PyFloat_CheckExact(object) != 0)
    return Item::scalar<double>(PyFloat_AS_DOUBLE(object), DType::Float64);
  if (PyUnicode_Check(object) != 0) return Item::text(text_of(object));
  if (PyBytes_Check(object) != 0) return Item::bytes(bytes_of_object(object));
  if (PyDict_Check(object) != 0) return Ref<data::ForeignObject>(new PythonObject(object));
  if (object == Py_None)
    fail(ErrorKind::Runtime, "Got None from Python object. A function or source must return data.");
  if (PyObject_TypeCheck(object, bridge().tensor_type) != 0) {
    const nb::object array = owned(bridge().numpy_from_tensor(bridge().filled(object)));
    return array_item(array.ptr());
  }
  if (type_name_of(object).starts_with("numpy.") && PyObject_CheckBuffer(object) != 0)
    return array_item(object);
  return other_item(object, keep_objects);
}

namespace {

// A whole file in one bytes value, nobody else's: its memory becomes the array's, without a copy.
nb::object array_over_bytes(const TextArray& text) {
  const std::string_view value = text.values.front();
  text.retain();
  auto* const owner = const_cast<TextArray*>(&text);
  const tensor::Tensor bytes = tensor::Tensor::from_storage(
      tensor::Storage::borrow(
          {}, const_cast<char*>(value.data()), value.size(),
          [](void* held) { static_cast<TextArray*>(held)->release(); }, owner),
      Shape{static_cast<std::int64_t>(value.size())}, DType::UInt8);
  const nb::object array = owned(bridge().numpy_from_tensor(bytes));
  const std::string type = "S" + std::to_string(value.size());
  nb::object view = owned(PyObject_CallMethod(array.ptr(), "view", "s", type.c_str()));
  if (text.is_borrowed())  // a mapped file: a write would end the process
    owned(PyObject_CallMethod(view.ptr(), "setflags", "O", Py_False));
  return view;
}

}  // namespace

nb::object python_from_item(const Item& item) {
  if (item.is_array()) return owned(bridge().numpy_from_tensor(data::own_array(item.array())));
  if (item.is_object()) return *static_cast<PythonObject&>(item.object()).held;
  if (item.empty()) fail(ErrorKind::Internal, "a value of a row was never made");
  const TextArray& text = item.text();
  constexpr std::size_t kWorthAView = 512;  // below, copying is faster
  if (text.is_bytes && text.shape == Shape{1} && text.values.front().size() >= kWorthAView &&
      (text.owner_count() == 1 || text.is_borrowed()))
    return array_over_bytes(text);
  const nb::list list = list_of(text.values, [&](std::string_view value) {
    const auto length = static_cast<Py_ssize_t>(value.size());
    return owned(text.is_bytes ? PyBytes_FromStringAndSize(value.data(), length)
                               : PyUnicode_DecodeUTF8(value.data(), length, "surrogateescape"));
  });
  return owned(PyObject_CallFunctionObjArgs(make_text_array, list.ptr(),
                                            nb::tuple(list_of(text.shape)).ptr(),
                                            text.is_bytes ? Py_True : Py_False, nullptr));
}

nb::object tensor_from_item(const Item& item) {
  if (item.is_array())
    return owned(bridge().wrap(tensor::handed_over(data::own_array(item.array()))));
  return owned(PyObject_CallOneArg(make_text_tensor, python_from_item(item).ptr()));
}

Items items_from_result(PyObject* result, bool keep_objects) {
  Items items;
  if (PyTuple_Check(result) == 0) {
    items.push_back(item_from_python(result, keep_objects));
    return items;
  }
  const Py_ssize_t count = PyTuple_GET_SIZE(result);
  items.reserve(static_cast<std::size_t>(count));
  for (Py_ssize_t i = 0; i < count; ++i)
    items.push_back(item_from_python(PyTuple_GET_ITEM(result, i), keep_objects));
  return items;
}

namespace {

using Value = data::Parameters::Value;

Value list_value(const nb::handle& list, const std::string& name) {
  data::Integers integers;
  data::Reals reals;
  data::Strings strings;
  std::size_t count = 0;
  for (const nb::handle element : nb::iter(list)) {
    ++count;
    if (PyUnicode_Check(element.ptr()) != 0) {
      strings.push_back(text_of(element.ptr()));
    } else if (PyFloat_Check(element.ptr()) != 0) {
      reals.push_back(PyFloat_AsDouble(element.ptr()));
    } else {
      const nb::object index = owned(PyNumber_Index(element.ptr()));
      integers.push_back(PyLong_AsLongLong(index.ptr()));
      if (PyErr_Occurred() != nullptr) throw PythonError();
      reals.push_back(static_cast<double>(integers.back()));
    }
  }
  if (strings.size() == count && count > 0) return strings;
  if (integers.size() == count) return integers;
  if (reals.size() == count) return reals;
  fail(ErrorKind::Type, "the argument '", name, "' mixes strings and numbers");
}

Value value_of(const nb::handle& object, const std::string& name) {
  PyObject* value = object.ptr();
  if (value == Py_None) return std::monostate();
  if (PyBool_Check(value) != 0) return value == Py_True;
  if (PyUnicode_Check(value) != 0) return text_of(value);
  if (PyBytes_Check(value) != 0) return bytes_of_object(value);
  if (PyFloat_Check(value) != 0) return PyFloat_AsDouble(value);
  if (PyDict_Check(value) != 0) {
    data::StringNumbers numbers;
    for (const auto [key, number] : nb::borrow<nb::dict>(object))
      numbers[text_of(key.ptr())] = PyLong_AsLongLong(number.ptr());
    if (PyErr_Occurred() != nullptr) throw PythonError();
    return numbers;
  }
  if (PyList_Check(value) != 0 || PyTuple_Check(value) != 0) return list_value(object, name);
  const nb::object index = owned(PyNumber_Index(value));
  const long long integer = PyLong_AsLongLong(index.ptr());
  if (PyErr_Occurred() != nullptr) throw PythonError();
  return static_cast<std::int64_t>(integer);
}

}  // namespace

data::Parameters parameters_from_dict(const nb::dict& arguments) {
  data::Parameters parameters;
  for (const auto [key, value] : arguments) {
    const std::string name = text_of(key.ptr());
    parameters.set(name, value_of(value, name));
  }
  return parameters;
}

void set_item_helpers(PyObject* array, PyObject* texts, PyObject* text_array, PyObject* text_tensor,
                      PyObject* probe) {
  array_type = Py_TYPE(probe);
  probe_array_layout(probe);
  keep(make_array, array);
  keep(split_texts, texts);
  keep(make_text_array, text_array);
  keep(make_text_tensor, text_tensor);
}

}  // namespace mycel::bindings
