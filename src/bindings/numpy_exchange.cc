// SPDX-License-Identifier: Apache-2.0
#include "bindings/numpy_exchange.h"

#include <cstring>
#include <string>
#include <string_view>
#include <unordered_map>

#include <nanobind/nanobind.h>

#include "bindings/exceptions.h"
#include "bindings/lost_gradient.h"
#include "bindings/tensor_object.h"
#include "eager/dispatch.h"
#include "eager/tape.h"
#include "platform/error/error.h"

namespace mycel::bindings {
namespace {

namespace nb = nanobind;
using platform::ErrorKind;
using tensor::DType;

PyObject* array_converter = nullptr;

struct Format {
  const char* code;
  DType dtype;
};
constexpr Format kFormats[] = {
    {"?", DType::Bool},        {"b", DType::Int8},    {"h", DType::Int16},
    {"i", DType::Int32},       {"l", DType::Int64},   {"q", DType::Int64},
    {"B", DType::UInt8},       {"H", DType::UInt16},  {"I", DType::UInt32},
    {"L", DType::UInt64},      {"Q", DType::UInt64},  {"e", DType::Float16},
    {"f", DType::Float32},     {"d", DType::Float64}, {"Zf", DType::Complex64},
    {"Zd", DType::Complex128},
};

DType dtype_of_format(const char* format) {
  std::string_view code = format == nullptr ? "B" : format;
  if (!code.empty() && (code[0] == '@' || code[0] == '=' || code[0] == '<')) code.remove_prefix(1);
  for (const Format& known : kFormats) {
    if (code == known.code) return known.dtype;
  }
  platform::fail(ErrorKind::Type, "an array with elements of format '", code,
                 "' cannot become a Tensor");
}

const char* format_of(DType dtype) {
  for (const Format& known : kFormats) {
    if (known.dtype == dtype) return known.code;
  }
  platform::fail(ErrorKind::Type, "NumPy has no type for ", dtype);
}

class BufferView {
 public:
  explicit BufferView(PyObject* object) {
    if (PyObject_GetBuffer(object, &view, PyBUF_STRIDES | PyBUF_FORMAT) != 0) throw PythonError();
  }
  ~BufferView() {
    if (owned) PyBuffer_Release(&view);
  }
  Py_buffer view;
  bool owned = true;
};

// Memory of an array that a storage lies in, and where its bytes are once they have been written.
struct Loan {
  Py_buffer view;
  const tensor::Storage* borrower = nullptr;
  platform::Ref<tensor::Storage> own;
};

// By borrower; guarded by the interpreter lock.
std::unordered_map<const tensor::Storage*, Loan*>& loans() {
  static std::unordered_map<const tensor::Storage*, Loan*> all;
  return all;
}

void release_loan(void* owner) {
  auto* loan = static_cast<Loan*>(owner);
  const PyGILState_STATE state = PyGILState_Ensure();
  loans().erase(loan->borrower);
  PyBuffer_Release(&loan->view);
  delete loan;
  PyGILState_Release(state);
}

bool writable_layout(const Py_buffer& view) {
  return view.readonly == 0 && PyBuffer_IsContiguous(&view, 'C') != 0;
}

}  // namespace

void set_array_converter(PyObject* function) {
  Py_XINCREF(function);
  Py_XSETREF(array_converter, function);
}

bool is_numpy_scalar(PyObject* object) {
  const std::string_view name = Py_TYPE(object)->tp_name;
  return name.starts_with("numpy.") && name != "numpy.ndarray" && PyObject_CheckBuffer(object) != 0;
}

Tensor tensor_from_buffer(PyObject* object, bool shared) {
  BufferView buffer(object);
  const Py_buffer& view = buffer.view;
  const DType dtype = dtype_of_format(view.format);
  tensor::Shape shape;
  for (int i = 0; i < view.ndim; ++i) shape.push_back(view.shape[i]);
  if (shared && writable_layout(view)) {
    auto* loan = new Loan{view, nullptr, {}};
    buffer.owned = false;
    auto storage = tensor::Storage::borrow({}, view.buf, static_cast<std::size_t>(view.len),
                                           release_loan, loan);
    loan->borrower = storage.get();
    loans().emplace(storage.get(), loan);
    return Tensor::from_storage(std::move(storage), shape, dtype);
  }
  Tensor result = Tensor::empty(shape, dtype);
  if (result.size() > 0 &&
      PyBuffer_ToContiguous(result.raw(), const_cast<Py_buffer*>(&view), view.len, 'C') != 0) {
    throw PythonError();
  }
  return result;
}

void move_out_of_array(tensor::Storage& storage) {
  const auto found = loans().find(&storage);
  if (found == loans().end() || found->second->own) return;
  Loan& loan = *found->second;
  loan.own = tensor::Storage::allocate({}, storage.bytes());
  std::memcpy(loan.own->data_unwatched(), storage.data(), storage.bytes());
  storage.rebind(loan.own->data_unwatched());
}

Tensor tensor_from_python(PyObject* object) {
  PyObject* array = PyObject_CallOneArg(array_converter, object);
  if (array == nullptr) throw PythonError();
  const nb::object owner = nb::steal(array);
  if (is_tensor(array)) return tensor_of(array);
  return tensor_from_buffer(array, false);
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
  try {
    warn_of_lost_gradient(tensor, "An array");
    view->buf = tensor.raw();
    tensor.storage().note_export();
  } catch (...) {
    set_python_error();
    return -1;
  }
  view->len = static_cast<Py_ssize_t>(tensor.bytes());
  view->itemsize = bytes;
  view->readonly = 0;
  view->ndim = static_cast<int>(tensor.rank());
  view->format =
      (flags & PyBUF_FORMAT) != 0 ? const_cast<char*>(format_of(tensor.dtype())) : nullptr;
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
    tensor = eager::emitter()
                 .call("cast", {op::Value(&eager::emitter(), tensor)}, {{"dtype", DType::Float32}})
                 .tensor();
  }
  if (tensor.device().backend != device::kHostBackend) tensor = tensor::copy_to_device(tensor, {});
  // A wrapper of its own keeps the memory alive, whatever happens to the Python Tensor asked.
  const nb::object holder = nb::steal(wrap(eager::detach(tensor)));
  const nb::object view = nb::steal(PyMemoryView_FromObject(holder.ptr()));
  if (!view.is_valid()) throw PythonError();
  PyObject* array = PyObject_CallOneArg(asarray, view.ptr());
  if (array == nullptr) throw PythonError();
  return array;
}

}  // namespace mycel::bindings
