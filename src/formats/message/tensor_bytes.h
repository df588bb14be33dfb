// SPDX-License-Identifier: Apache-2.0
// Tensors as the bytes that files hold.
#pragma once

#include <string_view>

#include "tensor/tensor.h"

namespace mycel::formats {

// A dense copy on the host; the tensor itself where it is one.
inline tensor::Tensor dense(const tensor::Tensor& tensor) {
  const tensor::Tensor known = tensor.readable();
  const bool is_here = known.device().backend == device::kHostBackend;
  return tensor::contiguous(is_here ? known : tensor::copy_to_device(known, {}));
}

inline std::string_view bytes_of(const tensor::Tensor& dense) {
  return {static_cast<const char*>(dense.raw()), dense.bytes()};
}

// Whether type, shape and all bits are the same.
inline bool are_same(const tensor::Tensor& a, const tensor::Tensor& b) {
  if (a == b) return true;
  return a.dtype() == b.dtype() && a.shape() == b.shape() &&
         bytes_of(dense(a)) == bytes_of(dense(b));
}

}  // namespace mycel::formats
