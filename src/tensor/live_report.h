// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>

#include "tensor/tensor.h"

namespace mycel::tensor {

// The list of large storages alive, kept so that an out-of-memory error can say where memory went.
// Small ones are left out: they come and go with every operator call and are never the answer.
class LiveStorages {
 public:
  static constexpr std::size_t kNotedBytes = std::size_t{64} << 10;
  static void add(Storage& storage);
  static void remove(Storage& storage);
  // "The largest live tensors: 2 x 4194304 bytes, 65536 bytes." or nothing when there are none.
  static std::string report(Device device);
};

}  // namespace mycel::tensor
