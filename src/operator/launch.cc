// SPDX-License-Identifier: Apache-2.0
#include "operator/launch.h"

#include "device/current.h"

namespace mycel::op {

void put_on_stream(KernelContext& kernel, device::Device device) {
  device::Stream& stream = device::current_stream(device);
  kernel.stream = &stream;
  for (const Tensor& tensor : kernel.inputs()) {
    if (tensor.defined()) tensor.storage().note_use(stream);
  }
  for (const Tensor& tensor : kernel.outputs()) {
    if (tensor.defined()) tensor.storage().note_use(stream);
  }
}

}  // namespace mycel::op
