// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "platform/file/file.h"
#include "tensor/tensor.h"

namespace mycel::formats {

struct NamedTensor {
  std::string name;
  tensor::Tensor tensor;  // contiguous, in host memory
};

// Writes a safetensors file in place of an older one, which stays untouched until all is written.
void write_safetensors(const platform::Path& path, std::vector<NamedTensor> tensors,
                       const std::vector<std::pair<std::string, std::string>>& metadata);

// Over names and contents in the order of names, as other writers compute it: an integer without
// axes counts as that many zero bytes.
std::uint32_t safetensors_checksum(std::vector<NamedTensor> tensors);

}  // namespace mycel::formats
