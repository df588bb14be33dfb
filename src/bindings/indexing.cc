// SPDX-License-Identifier: Apache-2.0
#include "bindings/indexing.h"

#include <vector>

#include <nanobind/nanobind.h>

#include "bindings/argument.h"
#include "bindings/exceptions.h"
#include "bindings/numpy_exchange.h"
#include "bindings/size_object.h"
#include "bindings/tensor_object.h"
#include "capture/logged_index.h"
#include "platform/error/error.h"

namespace mycel::bindings {
namespace {

using platform::ErrorKind;

PyObject* advanced_reader = nullptr;
PyObject* advanced_writer = nullptr;
PyObject* advanced_origin = nullptr;

constexpr const char* kIndexOrigin = "_index_origin";  // where Python notes it

using eager::IndexPart;
using Parts = decltype(capture::LoggedIndex::parts);

bool is_scalar_index(PyObject* item) {
  if (PyBool_Check(item)) return false;
  if (PyLong_Check(item) || is_size(item)) return true;
  if (!is_tensor(item)) return false;
  const Tensor& tensor = tensor_of(item);
  if (!tensor.defined() || tensor.rank() != 0 || !tensor::is_integral(tensor.dtype())) return false;
  return tensor.storage().watcher() == nullptr;  // what is recorded stays an input of the graph
}

bool is_basic(PyObject* item) {
  return is_scalar_index(item) || PySlice_Check(item) || item == Py_None || item == Py_Ellipsis ||
         item == Py_True;
}

std::int64_t position_of(PyObject* item) {
  if (is_tensor(item)) return tensor_of(item).as_int();
  int overflow = 0;
  const std::int64_t position = PyLong_AsLongLongAndOverflow(item, &overflow);
  if (position == -1 && PyErr_Occurred() != nullptr) throw PythonError();
  return overflow == 0 ? position : overflow > 0 ? INT64_MAX : INT64_MIN;
}

IndexPart part_of(PyObject* item) {
  IndexPart part;
  if (item == Py_None || item == Py_True) {
    part.kind = IndexPart::Kind::NewAxis;
  } else if (item == Py_Ellipsis) {
    part.kind = IndexPart::Kind::Ellipsis;
  } else if (PySlice_Check(item)) {
    part.kind = IndexPart::Kind::Slice;
    Py_ssize_t start = 0, stop = 0, step = 0;
    if (PySlice_Unpack(item, &start, &stop, &step) < 0) {
      if (PyErr_ExceptionMatches(PyExc_ValueError) != 0) {
        PyErr_SetString(PyExc_ValueError, "For 'StridedSlice', 'strides' cannot contain 0");
      }
      throw PythonError();
    }
    part.start = start;
    part.stop = stop;
    part.step = step;
  } else {
    part.start = position_of(item);
  }
  return part;
}

// Fills `parts` when every part of the index is basic.
bool basic_parts(PyObject* index, Parts& parts) {
  PyObject* const* items = PyTuple_Check(index) ? PySequence_Fast_ITEMS(index) : &index;
  const Py_ssize_t count = PyTuple_Check(index) ? PyTuple_GET_SIZE(index) : 1;
  for (Py_ssize_t i = 0; i < count; ++i) {
    if (!is_basic(items[i])) return false;
  }
  for (Py_ssize_t i = 0; i < count; ++i) parts.push_back(part_of(items[i]));
  return true;
}

// An index with plain numbers for sizes, which are noted; a new reference.
PyObject* plain_item(PyObject* item, std::size_t part, capture::ScriptIndex& noted) {
  const auto plain = [&](PyObject* object, int field) {
    if (!is_size(object) || writer_of(object) == nullptr) return Py_NewRef(object);
    const auto* size = reinterpret_cast<SizeObject*>(object);
    if (size->now.is_real) return Py_NewRef(object);
    noted.sizes.push_back({part, field, size->expression});
    return PyLong_FromLongLong(size->now.whole);
  };
  if (!PySlice_Check(item)) return plain(item, 0);
  const auto* slice = reinterpret_cast<PySliceObject*>(item);
  PyObject* start = plain(slice->start, 0);
  PyObject* stop = plain(slice->stop, 1);
  PyObject* result = PySlice_New(start, stop, slice->step);
  Py_DECREF(start);
  Py_DECREF(stop);
  return result;
}

// The same while a script is written.
bool noted_parts(PyObject* index, Parts& parts, capture::ScriptIndex& noted) {
  PyObject* const* items = PyTuple_Check(index) ? PySequence_Fast_ITEMS(index) : &index;
  const Py_ssize_t count = PyTuple_Check(index) ? PyTuple_GET_SIZE(index) : 1;
  for (Py_ssize_t i = 0; i < count; ++i) {
    if (!is_basic(items[i])) return false;
  }
  const nanobind::object plain = nanobind::steal(PyTuple_New(count));
  for (Py_ssize_t i = 0; i < count; ++i)
    PyTuple_SET_ITEM(plain.ptr(), i, plain_item(items[i], static_cast<std::size_t>(i), noted));
  if (!basic_parts(plain.ptr(), parts)) return false;
  noted.parts.assign(parts.begin(), parts.end());
  return true;
}

// False: the index is not basic.
bool read_index(PyObject* object, capture::LoggedIndex& index) {
  if (capture::script_writer() == nullptr) [[likely]]
    return basic_parts(object, index.parts);
  return noted_parts(object, index.parts, index.noted);
}

Tensor value_from(PyObject* value) {
  Tensor tensor = operand_from(value);
  platform::require(tensor.defined(), ErrorKind::Type,
                    "only support numbers, Tensor, tuple, list as value, but got ",
                    type_name(value));
  return tensor;
}

}  // namespace

PyObject* get_item(PyObject* self, PyObject* index) {
  return guarded([&]() -> PyObject* {
    const Tensor& tensor = filled(self);
    capture::LoggedIndex parts;
    if (!read_index(index, parts))
      return PyObject_CallFunctionObjArgs(advanced_reader, self, index, nullptr);
    return wrap(capture::read_window(tensor, parts));
  });
}

PyObject* index_origin(PyObject* tensor) {
  PyObject* attributes = reinterpret_cast<TensorObject*>(tensor)->attributes;
  return attributes == nullptr ? nullptr : PyDict_GetItemString(attributes, kIndexOrigin);
}

bool has_attributes(PyObject* tensor) {
  PyObject* attributes = reinterpret_cast<TensorObject*>(tensor)->attributes;
  if (attributes == nullptr) return false;
  return PyDict_GET_SIZE(attributes) > (index_origin(tensor) == nullptr ? 0 : 1);
}

void set_index_origin(nanobind::object tensor, nanobind::handle read, nanobind::handle index) {
  const nanobind::object reference = nanobind::steal(PyWeakref_NewRef(read.ptr(), nullptr));
  if (!reference.is_valid()) throw PythonError();
  const nanobind::str name(kIndexOrigin);
  const nanobind::object origin = nanobind::make_tuple(reference, index);
  // Not as users set attributes: nobody relies on this one.
  if (PyObject_GenericSetAttr(tensor.ptr(), name.ptr(), origin.ptr()) != 0) throw PythonError();
}

void exchange_index_origin(nanobind::object tensor, nanobind::handle read,
                           nanobind::handle instead) {
  PyObject* origin = index_origin(tensor.ptr());
  if (origin == nullptr || PyWeakref_GetObject(PyTuple_GET_ITEM(origin, 0)) != read.ptr()) return;
  set_index_origin(std::move(tensor), instead, PyTuple_GET_ITEM(origin, 1));
}

// What advanced indexing read is a copy, yet a write into it also reaches the tensor it came from.
int write_origin(PyObject* self) {
  if (index_origin(self) == nullptr || advanced_origin == nullptr) return 0;
  PyObject* done = PyObject_CallOneArg(advanced_origin, self);
  Py_XDECREF(done);
  return done == nullptr ? -1 : 0;
}

int set_item(PyObject* self, PyObject* index, PyObject* value) {
  return guarded(-1, [&] {
    platform::require(value != nullptr, ErrorKind::Type, "elements of a Tensor cannot be deleted");
    const Tensor& tensor = filled(self);
    if (tensor.storage().may_be_known_otherwise()) [[unlikely]]
      move_out_of_array(tensor.storage());
    capture::LoggedIndex parts;
    if (read_index(index, parts)) {
      capture::write_window(tensor, parts, value_from(value));
      return write_origin(self);
    }
    PyObject* done = PyObject_CallFunctionObjArgs(advanced_writer, self, index, value, nullptr);
    Py_XDECREF(done);
    return done == nullptr ? -1 : write_origin(self);
  });
}

void set_advanced_indexing(PyObject* reader, PyObject* writer, PyObject* origin) {
  Py_XINCREF(reader);
  Py_XINCREF(writer);
  Py_XINCREF(origin);
  Py_XSETREF(advanced_origin, origin);
  Py_XSETREF(advanced_reader, reader);
  Py_XSETREF(advanced_writer, writer);
}

}  // namespace mycel::bindings
