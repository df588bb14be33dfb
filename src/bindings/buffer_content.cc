// SPDX-License-Identifier: Apache-2.0
#include "bindings/buffer_content.h"

#include <algorithm>
#include <cstring>

#include "bindings/buffer_view.h"
#include "bindings/parts.h"

namespace mycel::bindings {

namespace nb = nanobind;

namespace {

const char* format_of(const Py_buffer& view) { return view.format == nullptr ? "B" : view.format; }

}  // namespace

BufferContent::BufferContent(nb::object owner) : owner_(std::move(owner)) {
  const BufferView now(owner_, PyBUF_FULL_RO);
  before_.bytes.resize(now.bytes().size());
  now.copy_to(before_.bytes.data());
  before_.format = format_of(now.view());
  before_.shape.assign(now.view().shape, now.view().shape + now.view().ndim);
}

bool BufferContent::is_as_before() const try {
  const BufferView now(owner_, PyBUF_FULL_RO);
  const Py_buffer& view = now.view();
  const std::size_t bytes = before_.bytes.size();
  if (now.bytes().size() != bytes || before_.format != format_of(view) ||
      !std::equal(before_.shape.begin(), before_.shape.end(), view.shape, view.shape + view.ndim))
    return false;
  if (bytes == 0) return true;
  if (now.is_dense()) return std::memcmp(view.buf, before_.bytes.data(), bytes) == 0;
  std::vector<std::byte> copy(bytes);
  now.copy_to(copy.data());
  return copy == before_.bytes;
} catch (const PythonError&) {  // closed, or released
  PyErr_Clear();
  return false;
}

void bind_buffers(nb::module_& module) {
  nb::class_<BufferContent>(module, "BufferContent")
      .def(nb::init<nb::object>())
      .def("__call__", &BufferContent::is_as_before);
  module.def("shows_memory",
             [](nb::handle object) { return PyObject_CheckBuffer(object.ptr()) != 0; });
}

}  // namespace mycel::bindings
