// SPDX-License-Identifier: Apache-2.0
// Lets nanobind functions take and return tensors; None stands for an undefined one.
#pragma once

#include <nanobind/nanobind.h>

#include "bindings/dtype_object.h"
#include "bindings/tensor_object.h"
#include "capture/script_writer.h"

namespace nanobind::detail {

template <>
struct type_caster<mycel::tensor::Tensor> {
  NB_TYPE_CASTER(mycel::tensor::Tensor, const_name("mindspore.Tensor"))
  bool from_python(handle source, uint8_t, cleanup_list*) noexcept {
    if (source.is_none()) {
      value = {};
      return true;
    }
    if (!mycel::bindings::is_tensor(source.ptr())) return false;
    value = mycel::bindings::tensor_of(source.ptr());
    // Functions that a script knows take a handle instead.
    if (auto* writer = mycel::capture::script_writer()) [[unlikely]]
      writer->note_unlogged(value);
    return true;
  }
  static handle from_cpp(const mycel::tensor::Tensor& tensor, rv_policy, cleanup_list*) noexcept {
    if (!tensor.defined()) return none().release();
    return mycel::bindings::wrap(tensor);
  }
};

template <>
struct type_caster<mycel::tensor::DType> {
  NB_TYPE_CASTER(mycel::tensor::DType, const_name("mindspore.dtype"))
  bool from_python(handle source, uint8_t, cleanup_list*) noexcept {
    if (!mycel::bindings::is_dtype(source.ptr())) return false;
    value = mycel::bindings::dtype_of(source.ptr());
    return true;
  }
  static handle from_cpp(mycel::tensor::DType dtype, rv_policy, cleanup_list*) noexcept {
    return Py_NewRef(mycel::bindings::dtype_object(dtype));
  }
};

}  // namespace nanobind::detail
