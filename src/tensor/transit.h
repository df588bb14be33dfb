// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tensor/tensor.h"

namespace mycel::tensor {

// A tensor of the host that is on its way to the current device: in pinned memory where that device
// has some, else in ordinary memory.
Tensor empty_in_transit(const Shape& shape, DType dtype);

// The same elements for somebody who may move them to a device: on a storage of its own, so that
// whoever else holds the tensor finds it where it was. As long as nobody has left the host, the
// tensor itself.
Tensor handed_over(const Tensor& tensor);

}  // namespace mycel::tensor
