// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tensor/tensor.h"

namespace mycel::bindings {

// Tells the user, once for every line of theirs, that a number or an array made of a tensor has no
// gradient, when one is being recorded for the tensor. `what` makes it, as "float()" does; `behind`
// frames of ours lie between. Throws PythonError where warnings are errors.
void warn_of_lost_gradient(const tensor::Tensor& tensor, const char* what, int behind = 0);

}  // namespace mycel::bindings
