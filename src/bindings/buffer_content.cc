// SPDX-License-Identifier: Apache-2.0
#include "bindings/buffer_content.h"

#include <algorithm>
#include <cstring>

#include "bindings/exceptions.h"
#include "bindings/parts.h"

namespace mycel::bindings {

namespace nb = nanobind;

namespace {

class Borrowed {
 public:
  explicit Borrowed(PyObject* owner)
      : is_there_(PyObject_GetBuffer(owner, &view_, PyBUF_FULL_RO) == 0) {}
  ~Borrowed() {
    if (is_there_) PyBuffer_Release(&view_);
  }
  Borrowed(const Borrowed&) = delete;
  Borrowed& operator=(const Borrowed&) = delete;

  bool is_there() const { return is_there_; }
  std::size_t size() const { return static_cast<std::size_t>(view_.len); }
  const char* format() const { return view_.format == nullptr ? "B" : view_.format; }
  bool has_shape(const std::vector<Py_ssize_t>& shape) const {
    return static_cast<std::size_t>(view_.ndim) == shape.size() &&
           std::equal(shape.begin(), shape.end(), view_.shape);
  }
  std::vector<Py_ssize_t> shape() const { return {view_.shape, view_.shape + view_.ndim}; }
  bool is_dense() const { return PyBuffer_IsContiguous(&view_, 'C') != 0; }
  const void* data() const { return view_.buf; }
  std::vector<std::byte> bytes() const {
    std::vector<std::byte> copy(size());
    if (PyBuffer_ToContiguous(copy.data(), &view_, view_.len, 'C') != 0) throw PythonError();
    return copy;
  }

 private:
  Py_buffer view_{};
  bool is_there_;
};

}  // namespace

BufferContent::BufferContent(nb::object owner) : owner_(std::move(owner)) {
  const Borrowed now(owner_.ptr());
  if (!now.is_there()) throw PythonError();
  before_ = {now.bytes(), now.format(), now.shape()};
}

bool BufferContent::is_as_before() const {
  const Borrowed now(owner_.ptr());
  if (!now.is_there()) {  // closed, or released
    PyErr_Clear();
    return false;
  }
  if (now.size() != before_.bytes.size() || before_.format != now.format() ||
      !now.has_shape(before_.shape))
    return false;
  if (now.size() == 0) return true;
  if (now.is_dense()) return std::memcmp(now.data(), before_.bytes.data(), now.size()) == 0;
  return now.bytes() == before_.bytes;
}

void bind_buffers(nb::module_& module) {
  nb::class_<BufferContent>(module, "BufferContent")
      .def(nb::init<nb::object>())
      .def("__call__", &BufferContent::is_as_before);
  module.def("shows_memory",
             [](nb::handle object) { return PyObject_CheckBuffer(object.ptr()) != 0; });
}

}  // namespace mycel::bindings
