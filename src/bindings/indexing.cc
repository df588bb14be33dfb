// SPDX-License-Identifier: Apache-2.0
#include "bindings/indexing.h"

#include <vector>

#include <nanobind/nanobind.h>

#include "bindings/argument.h"
#include "bindings/exceptions.h"
#include "bindings/numpy_exchange.h"
#include "bindings/objects.h"
#include "bindings/size_object.h"
#include "bindings/tensor_object.h"
#include "capture/logged_index.h"
#include "platform/error/error.h"
#include "tensor/loan.h"

namespace mycel::bindings {

namespace nb = nanobind;

namespace {

using platform::ErrorKind;

PyObject* advanced_reader = nullptr;
PyObject* advanced_writer = nullptr;
PyObject* advanced_origin = nullptr;

constexpr const char* kIndexOrigin = "_index_origin";  // where Python notes it

using eager::IndexPart;

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

// An index with plain numbers for sizes, which are noted.
nb::object plain_item(PyObject* item, std::size_t part, capture::ScriptIndex& noted) {
  const auto plain = [&](PyObject* object, int field) {
    const bool is_known = is_size(object) && size_of(object).writer() != nullptr;
    if (!is_known || size_of(object).now().is_real) return nb::borrow(object);
    noted.sizes.push_back({part, field, size_of(object).expression()});
    return owned(number_object(size_of(object).now()));
  };
  if (!PySlice_Check(item)) return plain(item, 0);
  const auto* slice = reinterpret_cast<PySliceObject*>(item);
  const nb::object start = plain(slice->start, 0), stop = plain(slice->stop, 1);
  return owned(PySlice_New(start.ptr(), stop.ptr(), slice->step));
}

// False: not every part of the index is basic.
bool read_index(PyObject* object, capture::LoggedIndex& index) {
  PyObject* const* items = PyTuple_Check(object) ? PySequence_Fast_ITEMS(object) : &object;
  const Py_ssize_t count = PyTuple_Check(object) ? PyTuple_GET_SIZE(object) : 1;
  for (Py_ssize_t i = 0; i < count; ++i) {
    if (!is_basic(items[i])) return false;
  }
  const bool is_noted = capture::script_writer() != nullptr;
  for (Py_ssize_t i = 0; i < count; ++i) {
    index.parts.push_back(
        is_noted ? part_of(plain_item(items[i], static_cast<std::size_t>(i), index.noted).ptr())
                 : part_of(items[i]));
  }
  if (is_noted) index.noted.parts.assign(index.parts.begin(), index.parts.end());
  return true;
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

void set_index_origin(nb::object tensor, nb::handle read, nb::handle index) {
  const nb::object reference = owned(PyWeakref_NewRef(read.ptr(), nullptr));
  const nb::str name(kIndexOrigin);
  const nb::object origin = nb::make_tuple(reference, index);
  // Not as users set attributes: nobody relies on this one.
  if (PyObject_GenericSetAttr(tensor.ptr(), name.ptr(), origin.ptr()) != 0) throw PythonError();
}

void exchange_index_origin(nb::object tensor, nb::handle read, nb::handle instead) {
  PyObject* origin = index_origin(tensor.ptr());
  if (origin == nullptr || PyWeakref_GetObject(PyTuple_GET_ITEM(origin, 0)) != read.ptr()) return;
  set_index_origin(std::move(tensor), instead, PyTuple_GET_ITEM(origin, 1));
}

// What advanced indexing read is a copy, yet a write into it also reaches the tensor it came from.
int write_origin(PyObject* self) {
  if (index_origin(self) == nullptr || advanced_origin == nullptr) return 0;
  return nb::steal(PyObject_CallOneArg(advanced_origin, self)).is_valid() ? 0 : -1;
}

int set_item(PyObject* self, PyObject* index, PyObject* value) {
  return guarded(-1, [&] {
    platform::require(value != nullptr, ErrorKind::Type, "elements of a Tensor cannot be deleted");
    const Tensor& tensor = filled(self);
    if (tensor.storage().may_be_known_otherwise()) [[unlikely]]
      tensor::end_loan(tensor.storage());
    capture::LoggedIndex parts;
    if (read_index(index, parts)) {
      capture::write_window(tensor, parts, value_from(value));
      return write_origin(self);
    }
    if (!nb::steal(PyObject_CallFunctionObjArgs(advanced_writer, self, index, value, nullptr))
             .is_valid())
      return -1;
    return write_origin(self);
  });
}

void set_advanced_indexing(PyObject* reader, PyObject* writer, PyObject* origin) {
  keep(advanced_reader, reader);
  keep(advanced_writer, writer);
  keep(advanced_origin, origin);
}

}  // namespace mycel::bindings
