// SPDX-License-Identifier: Apache-2.0
#include "bindings/indexing.h"

#include <vector>

#include "bindings/argument.h"
#include "bindings/exceptions.h"
#include "bindings/numpy_exchange.h"
#include "bindings/tensor_object.h"
#include "bindings/truth_asker.h"
#include "eager/dispatch.h"
#include "eager/tape.h"
#include "operator/registry.h"
#include "platform/error/error.h"

namespace mycel::bindings {
namespace {

using platform::ErrorKind;
using tensor::IntList;

PyObject* advanced_reader = nullptr;
PyObject* advanced_writer = nullptr;
PyObject* advanced_origin = nullptr;

struct Window {
  IntList begin, length, step, axes;
};

bool is_scalar_index(PyObject* item) {
  if (PyBool_Check(item)) return false;
  if (PyLong_Check(item)) return true;
  if (!is_tensor(item)) return false;
  const Tensor& tensor = tensor_of(item);
  if (!tensor.defined() || tensor.rank() != 0 || !tensor::is_integral(tensor.dtype())) return false;
  // For files of networks, nobody looks at recorded values.
  return truth_asker == nullptr || tensor.storage().watcher() == nullptr;
}

bool is_basic(PyObject* item) {
  return is_scalar_index(item) || PySlice_Check(item) || item == Py_None || item == Py_Ellipsis ||
         item == Py_True;
}

class WindowBuilder {
 public:
  explicit WindowBuilder(const Tensor& tensor) : shape_(tensor.shape()) {}

  void integer(PyObject* item) {
    require_axis();
    std::int64_t position = 0;
    if (PyLong_Check(item)) {
      int overflow = 0;
      position = PyLong_AsLongLongAndOverflow(item, &overflow);
      if (overflow != 0) position = overflow > 0 ? INT64_MAX : INT64_MIN;
    } else {
      position = tensor_of(item).as_int();
    }
    const std::int64_t size = shape_[axis_];
    platform::require(-size <= position && position < size, ErrorKind::Index, "index ", position,
                      " is out of bounds for dimension with size ", size);
    add(position < 0 ? position + size : position, 1, 1);
    ++axis_;
  }

  void slice(PyObject* item) {
    require_axis();
    Py_ssize_t start = 0;
    Py_ssize_t stop = 0;
    Py_ssize_t step = 0;
    if (PySlice_Unpack(item, &start, &stop, &step) < 0) {
      if (PyErr_ExceptionMatches(PyExc_ValueError) != 0) {
        PyErr_SetString(PyExc_ValueError, "For 'StridedSlice', 'strides' cannot contain 0");
      }
      throw PythonError();
    }
    const Py_ssize_t length = PySlice_AdjustIndices(shape_[axis_], &start, &stop, step);
    add(length == 0 ? 0 : start, length, step);
    window_.axes.push_back(static_cast<std::int64_t>(axis_));
    ++axis_;
  }

  void new_axis() { window_.axes.push_back(-1); }

  void whole_axes(std::size_t count) {
    for (; count > 0; --count) {
      add(0, shape_[axis_], 1);
      window_.axes.push_back(static_cast<std::int64_t>(axis_++));
    }
  }

  std::size_t axes_left() const { return shape_.size() - axis_; }
  Window finish() {
    whole_axes(axes_left());
    return std::move(window_);
  }

 private:
  void require_axis() {
    platform::require(!shape_.empty(), ErrorKind::Type, "Cannot iterate over a scalar tensor.");
    platform::require(axis_ < shape_.size(), ErrorKind::Index,
                      "too many indices for tensor of dimension", shape_.size());
  }
  void add(std::int64_t begin, std::int64_t length, std::int64_t step) {
    window_.begin.push_back(begin);
    window_.length.push_back(length);
    window_.step.push_back(step);
  }

  const tensor::Shape& shape_;
  std::size_t axis_ = 0;
  Window window_;
};

std::size_t axes_taken(PyObject* const* items, Py_ssize_t count) {
  std::size_t taken = 0;
  for (Py_ssize_t i = 0; i < count; ++i)
    taken += is_scalar_index(items[i]) || PySlice_Check(items[i]) ? 1 : 0;
  return taken;
}

Window window_of(const Tensor& tensor, PyObject* const* items, Py_ssize_t count) {
  WindowBuilder builder(tensor);
  bool ellipsis = false;
  for (Py_ssize_t i = 0; i < count; ++i) {
    PyObject* item = items[i];
    if (item == Py_None || item == Py_True) {
      builder.new_axis();
    } else if (item == Py_Ellipsis) {
      platform::require(!ellipsis, ErrorKind::Index,
                        "An index can only have a single ellipsis('...')");
      ellipsis = true;
      const std::size_t later = axes_taken(items + i + 1, count - i - 1);
      platform::require(later <= builder.axes_left(), ErrorKind::Index,
                        "too many indices for tensor of dimension", tensor.shape().size());
      builder.whole_axes(builder.axes_left() - later);
    } else if (PySlice_Check(item)) {
      builder.slice(item);
    } else {
      builder.integer(item);
    }
  }
  return builder.finish();
}

// Fills `window` when every part of the index is basic.
bool basic_window(const Tensor& tensor, PyObject* index, Window& window) {
  if (!PyTuple_Check(index)) {
    if (!is_basic(index)) return false;
    window = window_of(tensor, &index, 1);
    return true;
  }
  PyObject** items = PySequence_Fast_ITEMS(index);
  const Py_ssize_t count = PyTuple_GET_SIZE(index);
  for (Py_ssize_t i = 0; i < count; ++i) {
    if (!is_basic(items[i])) return false;
  }
  window = window_of(tensor, items, count);
  return true;
}

std::vector<op::AttributeValue> attributes_of(Window& window) {
  std::vector<op::AttributeValue> attributes(4);
  attributes[0] = std::move(window.begin);
  attributes[1] = std::move(window.length);
  attributes[2] = std::move(window.step);
  attributes[3] = std::move(window.axes);
  return attributes;
}

Tensor value_from(PyObject* value) {
  Tensor tensor = operand_from(value);
  platform::require(tensor.defined(), ErrorKind::Type,
                    "only support numbers, Tensor, tuple, list as value, but got ",
                    type_name(value));
  return tensor;
}

void write_window(const Tensor& target, Window window, const Tensor& value) {
  static const op::OpDef& update = op::find("index_view_update");
  static const op::OpDef& assign = op::find("index_view_assign");
  std::vector<op::AttributeValue> attributes = attributes_of(window);
  Tensor inputs[] = {target, value};
  if (!eager::is_tracked(target) && !eager::is_tracked(value)) {
    eager::dispatch_one(assign, inputs, attributes);
    return;
  }
  // While a gradient is recorded the write is also an operator with a result, whose history the
  // target takes over.
  const Tensor result = eager::dispatch_one(update, inputs, attributes);
  const eager::RecordingSwitch off(false);
  Tensor plain[] = {target, value};
  eager::dispatch_one(assign, plain, attributes);
  eager::record_overwrite(target, result);
}

}  // namespace

PyObject* get_item(PyObject* self, PyObject* index) {
  return guarded([&]() -> PyObject* {
    static const op::OpDef& view = op::find("index_view");
    const Tensor& tensor = filled(self);
    Window window;
    if (!basic_window(tensor, index, window)) {
      return PyObject_CallFunctionObjArgs(advanced_reader, self, index, nullptr);
    }
    std::vector<op::AttributeValue> attributes = attributes_of(window);
    Tensor inputs[] = {tensor};
    return wrap(eager::dispatch_one(view, inputs, attributes));
  });
}

// What advanced indexing read is a copy, yet a write into it also reaches the tensor it came from.
int write_origin(PyObject* self) {
  PyObject* attributes = reinterpret_cast<TensorObject*>(self)->attributes;
  if (attributes == nullptr || advanced_origin == nullptr) return 0;
  if (PyDict_GetItemString(attributes, "_index_origin") == nullptr) return 0;
  PyObject* done = PyObject_CallOneArg(advanced_origin, self);
  Py_XDECREF(done);
  return done == nullptr ? -1 : 0;
}

int set_item(PyObject* self, PyObject* index, PyObject* value) {
  return guarded(-1, [&] {
    platform::require(value != nullptr, ErrorKind::Type, "elements of a Tensor cannot be deleted");
    const Tensor& tensor = filled(self);
    Window window;
    if (basic_window(tensor, index, window)) {
      write_window(tensor, std::move(window), value_from(value));
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
