// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>
#include <utility>

#include <nanobind/nanobind.h>

namespace mycel::bindings {

// The bytes of a Python object, dense ones, which stay as long as this does.
class HeldBytes {
 public:
  explicit HeldBytes(nanobind::handle object) {
    if (PyObject_GetBuffer(object.ptr(), &buffer_, PyBUF_C_CONTIGUOUS) != 0)
      nanobind::raise_python_error();
  }
  HeldBytes(HeldBytes&& other) noexcept : buffer_(std::exchange(other.buffer_, {})) {}
  HeldBytes(const HeldBytes&) = delete;
  HeldBytes& operator=(const HeldBytes&) = delete;
  HeldBytes& operator=(HeldBytes&&) = delete;
  ~HeldBytes() { PyBuffer_Release(&buffer_); }
  std::string_view view() const {
    return {static_cast<const char*>(buffer_.buf), static_cast<std::size_t>(buffer_.len)};
  }

 private:
  Py_buffer buffer_{};
};

}  // namespace mycel::bindings
