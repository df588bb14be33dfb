// SPDX-License-Identifier: Apache-2.0
// What an object that shows its memory (an array, a bytearray, an mmap, ...) held at some moment.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include <nanobind/nanobind.h>

namespace mycel::bindings {

// The memory is asked for anew each time and let go at once: whoever owns it may resize it.
class BufferContent {
 public:
  explicit BufferContent(nanobind::object owner);
  bool is_as_before() const;

 private:
  struct Content {
    std::vector<std::byte> bytes;  // in row-major order
    std::string format;
    std::vector<Py_ssize_t> shape;
  };
  nanobind::object owner_;
  Content before_;
};

}  // namespace mycel::bindings
