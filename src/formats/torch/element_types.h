// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string_view>

#include "formats/float8.h"
#include "tensor/dtype.h"

namespace mycel::formats {

// A type of elements as PyTorch's files call it.
struct TorchElement {
  std::string_view storage;  // "FloatStorage"; empty: only within untyped storages
  std::string_view dtype;    // "torch.float32"
  std::size_t size;
  tensor::DType ours;         // what it becomes
  Float8 small = Float8::No;  // eight bits, which become float32
};

const TorchElement* torch_element_of_storage(std::string_view name);  // null: unknown
const TorchElement* torch_element_of_dtype(std::string_view name);

}  // namespace mycel::formats
