// SPDX-License-Identifier: Apache-2.0
#include "bindings/numpy_exchange.h"

#include <string_view>

#include <nanobind/nanobind.h>

#include "bindings/buffer_view.h"
#include "bindings/exceptions.h"
#include "bindings/lost_gradient.h"
#include "bindings/objects.h"
#include "bindings/tensor_object.h"
#include "eager/dispatch.h"
#include "eager/tape.h"
#include "tensor/buffer_format.h"
#include "tensor/loan.h"

namespace mycel::bindings {
namespace {

namespace nb = nanobind;
using tensor::DType;

PyObject* array_converter = nullptr;

}  // namespace

void set_array_converter(PyObject* function) { keep(array_converter, function); }

bool is_numpy_scalar(PyObject* object) {
  const std::string_view name = Py_TYPE(object)->tp_name;
  return name.starts_with("numpy.") && name != "numpy.ndarray" && PyObject_CheckBuffer(object) != 0;
}

Tensor tensor_from_buffer(PyObject* object, bool shared) {
  BufferView buffer(object, PyBUF_STRIDES | PyBUF_FORMAT);
  const Py_buffer& view = buffer.view();
  const DType dtype = tensor::dtype_of_format(view.format);
  tensor::Shape shape;
  for (int i = 0; i < view.ndim; ++i) shape.push_back(view.shape[i]);
  if (shared && view.readonly == 0 && buffer.is_dense()) {
    void* const data = view.buf;
    const std::size_t bytes = buffer.bytes().size();
    return Tensor::from_storage(tensor::lend(data, bytes, shared_under_lock(std::move(buffer))),
                                shape, dtype);
  }
  Tensor result = Tensor::empty(shape, dtype);
  if (result.size() > 0) buffer.copy_to(result.raw());
  return result;
}

Tensor tensor_from_python(PyObject* object) {
  const nb::object array = owned(PyObject_CallOneArg(array_converter, object));
  if (is_tensor(array.ptr())) return tensor_of(array.ptr());
  return tensor_from_buffer(array.ptr(), false);
}

namespace {

struct ExportShape {
  std::vector<Py_ssize_t> shape;
  std::vector<Py_ssize_t> strides;
};

std::unique_ptr<ExportShape> layout_of(const Tensor& tensor, Py_ssize_t element_bytes) {
  auto layout = std::make_unique<ExportShape>();
  layout->shape.assign(tensor.shape().begin(), tensor.shape().end());
  for (const std::int64_t stride : tensor.strides()) {
    // Only tensors without elements have steps that do not fit, and nobody takes those.
    Py_ssize_t step = 0;
    if (__builtin_mul_overflow(stride, element_bytes, &step)) step = element_bytes;
    layout->strides.push_back(step);
  }
  return layout;
}

}  // namespace

int get_buffer(PyObject* self, Py_buffer* view, int flags) {
  const Tensor& tensor = tensor_of(self);
  view->obj = nullptr;
  const bool exportable = tensor.defined() && tensor.dtype() != DType::BFloat16 &&
                          tensor.device().backend == device::kHostBackend;
  if (!exportable) {
    PyErr_SetString(PyExc_BufferError, "this Tensor has no memory that Python can look at");
    return -1;
  }
  if ((flags & PyBUF_STRIDES) != PyBUF_STRIDES && !tensor.is_contiguous()) {
    PyErr_SetString(PyExc_BufferError, "the Tensor is not contiguous");
    return -1;
  }
  const auto bytes = static_cast<Py_ssize_t>(tensor::size_of(tensor.dtype()));
  auto layout = layout_of(tensor, bytes);
  const int failure = guarded(-1, [&] {
    warn_of_lost_gradient(tensor, "An array");
    view->buf = tensor.raw();
    tensor.storage().note_export();
    return 0;
  });
  if (failure != 0) return failure;
  view->len = static_cast<Py_ssize_t>(tensor.bytes());
  view->itemsize = bytes;
  view->readonly = 0;
  view->ndim = static_cast<int>(tensor.rank());
  view->format =
      (flags & PyBUF_FORMAT) != 0 ? const_cast<char*>(tensor::format_of(tensor.dtype())) : nullptr;
  view->shape = layout->shape.data();
  view->strides = layout->strides.data();
  view->suboffsets = nullptr;
  view->obj = Py_NewRef(self);
  view->internal = layout.release();
  return 0;
}

void release_buffer(PyObject*, Py_buffer* view) {
  delete static_cast<ExportShape*>(view->internal);
}

PyObject* numpy_from_tensor(const Tensor& source) {
  static PyObject* asarray = [] {
    const nb::object numpy = nb::module_::import_("numpy");
    return nb::object(numpy.attr("asarray")).release().ptr();
  }();
  Tensor tensor = source.readable();
  if (tensor.dtype() == DType::BFloat16) {
    const eager::RecordingSwitch off(false);
    tensor = eager::cast_to(tensor, DType::Float32);
  }
  tensor = tensor::copy_to_device(tensor, {});
  // A wrapper of its own keeps the memory alive, whatever happens to the Python Tensor asked.
  const nb::object holder = nb::steal(wrap(eager::detach(tensor)));
  const nb::object view = owned(PyMemoryView_FromObject(holder.ptr()));
  return owned(PyObject_CallOneArg(asarray, view.ptr())).release().ptr();
}

}  // namespace mycel::bindings
