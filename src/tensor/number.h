// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <complex>
#include <cstdint>

#include "tensor/tensor.h"

namespace mycel::tensor {

// A 0-d tensor that stands for a number of the program: it never widens the other operand.
Tensor number_tensor(double value);
Tensor number_tensor(std::int64_t value);
Tensor number_tensor(bool value);
Tensor number_tensor(std::complex<double> value);

}  // namespace mycel::tensor
