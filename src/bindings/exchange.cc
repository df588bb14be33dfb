// SPDX-License-Identifier: Apache-2.0
// Tensors from and to other libraries: buffers and DLPack.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include "bindings/exceptions.h"
#include "bindings/indexing.h"
#include "bindings/numpy_exchange.h"
#include "bindings/parts.h"
#include "bindings/tensor_caster.h"
#include "platform/error/error.h"
#include "tensor/overlap.h"

namespace mycel::bindings {
namespace {

namespace nb = nanobind;
using platform::ErrorKind;
using tensor::DType;

nb::dlpack::dtype dlpack_type(DType dtype) {
  nb::dlpack::dtype_code code = nb::dlpack::dtype_code::Float;
  if (dtype == DType::Bool) code = nb::dlpack::dtype_code::Bool;
  if (tensor::is_signed_integer(dtype)) code = nb::dlpack::dtype_code::Int;
  if (tensor::is_unsigned(dtype)) code = nb::dlpack::dtype_code::UInt;
  if (tensor::is_complex(dtype)) code = nb::dlpack::dtype_code::Complex;
  if (dtype == DType::BFloat16) code = nb::dlpack::dtype_code::Bfloat;
  return {static_cast<std::uint8_t>(code), static_cast<std::uint8_t>(tensor::size_of(dtype) * 8),
          1};
}

DType dtype_from_dlpack(nb::dlpack::dtype wanted) {
  for (int i = 0; i < tensor::kDTypeCount; ++i) {
    if (dlpack_type(static_cast<DType>(i)) == wanted) return static_cast<DType>(i);
  }
  platform::fail(ErrorKind::Type, "a DLPack tensor with ", static_cast<int>(wanted.bits),
                 "-bit elements of kind ", static_cast<int>(wanted.code),
                 " cannot become a Tensor");
}

// A capsule sharing the memory; the capsule keeps the tensor alive.
nb::object to_dlpack(const Tensor& tensor) {
  platform::require(tensor.device().backend == device::kHostBackend, ErrorKind::Runtime,
                    "only host tensors are exported");
  tensor.storage().note_export();
  auto* keeper = new Tensor(tensor);
  const nb::capsule owner(keeper, [](void* held) noexcept { delete static_cast<Tensor*>(held); });
  std::vector<std::size_t> shape(tensor.shape().begin(), tensor.shape().end());
  std::vector<std::int64_t> strides(tensor.strides().begin(), tensor.strides().end());
  nb::ndarray<> array(tensor.raw(), shape.size(), shape.data(), owner, strides.data(),
                      dlpack_type(tensor.dtype()), nb::device::cpu::value, 0);
  return nb::cast(array, nb::rv_policy::reference);
}

Tensor from_dlpack(nb::ndarray<> array) {
  platform::require(array.device_type() == nb::device::cpu::value, ErrorKind::Runtime,
                    "only DLPack tensors in host memory can be taken over here");
  tensor::Shape shape;
  tensor::Strides strides;
  for (std::size_t i = 0; i < array.ndim(); ++i) {
    shape.push_back(static_cast<std::int64_t>(array.shape(i)));
    strides.push_back(array.stride(i));
    platform::require(array.stride(i) >= 0, ErrorKind::Value,
                      "DLPack tensors with negative strides are not supported");
  }
  const DType dtype = dtype_from_dlpack(array.dtype());
  const auto count = static_cast<std::size_t>(tensor::reach_of(shape, strides, 0).end);
  auto* keeper = new nb::ndarray<>(array);
  auto storage = tensor::Storage::borrow(
      {}, array.data(), count * tensor::size_of(dtype),
      [](void* held) {
        const nb::gil_scoped_acquire lock;
        delete static_cast<nb::ndarray<>*>(held);
      },
      keeper);
  const Tensor whole = Tensor::from_storage(std::move(storage), shape, dtype);
  return Tensor::view(whole, shape, strides, 0);
}

}  // namespace

void bind_exchange(nb::module_& module) {
  module.def("from_numpy", [](nb::handle array) { return tensor_from_buffer(array.ptr(), true); });
  module.def("copy_numpy", [](nb::handle array) { return tensor_from_buffer(array.ptr(), false); });
  // The bits of a bfloat16 tensor travel as uint16.
  module.def("reinterpret", [](const Tensor& tensor, DType dtype) {
    platform::require(tensor::size_of(tensor.dtype()) == tensor::size_of(dtype), ErrorKind::Type,
                      "only types of equal size can be reinterpreted");
    Tensor view = Tensor::view(tensor, tensor.shape(), tensor.strides(), tensor.body().offset);
    view.body().dtype = dtype;
    return view;
  });
  module.def("empty", [](const nb::tuple& lengths, DType dtype) {
    tensor::Shape shape;
    for (const nb::handle length : lengths) shape.push_back(nb::cast<std::int64_t>(length));
    for (const std::int64_t length : shape) {
      platform::require(length >= 0, ErrorKind::Value, "a shape must not be negative, but got ",
                        shape);
    }
    return Tensor::empty(shape, dtype);
  });
  module.def("to_dlpack", to_dlpack);
  module.def("from_dlpack", from_dlpack);
  module.def("set_array_converter",
             [](nb::handle function) { set_array_converter(function.ptr()); });
  module.def("set_advanced_indexing", [](nb::handle reader, nb::handle writer, nb::handle origin) {
    set_advanced_indexing(reader.ptr(), writer.ptr(), origin.ptr());
  });
}

}  // namespace mycel::bindings
