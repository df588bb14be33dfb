// SPDX-License-Identifier: Apache-2.0
#include "tensor/number.h"

namespace mycel::tensor {

namespace {

template <class T>
Tensor make_number(T value, DType dtype) {
  Tensor tensor = Tensor::empty({}, dtype);
  *tensor.data<T>() = value;
  tensor.storage().set_constant();
  tensor.body().is_number = true;
  return tensor;
}

}  // namespace

Tensor number_tensor(double value) { return make_number(value, DType::Float64); }
Tensor number_tensor(std::int64_t value) { return make_number(value, DType::Int64); }
Tensor number_tensor(bool value) { return make_number(value, DType::Bool); }
Tensor number_tensor(std::complex<double> value) { return make_number(value, DType::Complex128); }

}  // namespace mycel::tensor
