// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>
#include <utility>

#include <nanobind/nanobind.h>

#include "bindings/exceptions.h"

namespace mycel::bindings {

// The memory that a Python object shows, which stays as long as this does.
class BufferView {
 public:
  // `flags`: what the memory must be like; dense unless they say otherwise.
  explicit BufferView(nanobind::handle object, int flags = PyBUF_C_CONTIGUOUS) {
    if (PyObject_GetBuffer(object.ptr(), &view_, flags) != 0) throw PythonError();
  }
  BufferView(BufferView&& other) noexcept : view_(std::exchange(other.view_, {})) {}
  BufferView(const BufferView&) = delete;
  BufferView& operator=(const BufferView&) = delete;
  BufferView& operator=(BufferView&&) = delete;
  ~BufferView() { PyBuffer_Release(&view_); }

  const Py_buffer& view() const { return view_; }
  bool is_dense() const { return PyBuffer_IsContiguous(&view_, 'C') != 0; }
  std::string_view bytes() const {  // of dense memory
    return {static_cast<const char*>(view_.buf), static_cast<std::size_t>(view_.len)};
  }
  void copy_to(void* place) const {  // in row-major order
    if (PyBuffer_ToContiguous(place, const_cast<Py_buffer*>(&view_), view_.len, 'C') != 0)
      throw PythonError();
  }

 private:
  Py_buffer view_{};
};

}  // namespace mycel::bindings
