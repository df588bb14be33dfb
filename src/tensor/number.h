// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <complex>
#include <cstdint>
#include <variant>

#include "tensor/tensor.h"

namespace mycel::tensor {

// A 0-d tensor that stands for a number of the program: it never widens the other operand.
Tensor number_tensor(double value);
Tensor number_tensor(std::int64_t value);
Tensor number_tensor(bool value);
Tensor number_tensor(std::complex<double> value);

// The only element of a tensor, in a type that holds it as it is; waits for the device.
using Number = std::variant<bool, std::int64_t, std::uint64_t, double, std::complex<double>>;
Number only_number(const Tensor& tensor);
// All elements of a tensor of whole numbers, in row-major order.
IntList whole_numbers(const Tensor& tensor);
bool is_nonzero(const Tensor& tensor);  // the only element, complex ones too

}  // namespace mycel::tensor
