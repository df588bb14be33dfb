// SPDX-License-Identifier: Apache-2.0
#include "tensor/number.h"

#include "platform/error/error.h"

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

Number only_number(const Tensor& given) {
  const Tensor tensor = given.readable();
  platform::require(tensor.size() == 1, platform::ErrorKind::Value,
                    "Only one element tensors can be converted to Python scalars, but got shape ",
                    tensor.shape());
  const Tensor host = copy_to_device(tensor, {});
  switch (host.dtype()) {
    case DType::Bool: return host.as_int() != 0;
    case DType::UInt64: return *host.data<std::uint64_t>();
    case DType::Complex64: return std::complex<double>(*host.data<std::complex<float>>());
    case DType::Complex128: return *host.data<std::complex<double>>();
    default: break;
  }
  if (is_integral(host.dtype())) return host.as_int();
  return host.as_double();
}

IntList whole_numbers(const Tensor& tensor) {
  const Tensor dense = contiguous(copy_to_device(tensor, {}));
  IntList values;
  with_integer_type(dense.dtype(), [&]<class T>() {
    for (std::int64_t i = 0; i < dense.size(); ++i)
      values.push_back(static_cast<std::int64_t>(dense.data<T>()[i]));
  });
  return values;
}

bool is_nonzero(const Tensor& tensor) {
  if (!is_complex(tensor.dtype())) return tensor.as_double() != 0;
  return std::get<std::complex<double>>(only_number(tensor)) != std::complex<double>(0);
}

}  // namespace mycel::tensor
