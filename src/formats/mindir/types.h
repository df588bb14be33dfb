// SPDX-License-Identifier: Apache-2.0
// Numbers by which MindIR files know types: of tensors, and as arguments of primitives.
#pragma once

#include <cstdint>
#include <optional>

#include "tensor/dtype.h"

namespace mycel::formats::mindir {

using tensor::DType;

// Of the release that wrote a file.
struct Version {
  int major = 0, minor = 0;
  auto operator<=>(const Version&) const = default;
};

constexpr std::int64_t kStringData = 8;
std::optional<DType> data_type(std::int64_t number);  // DataType of a tensor
// Type numbers in arguments of primitives; complex types moved when the 8-bit floats came.
std::optional<DType> argument_type(std::int64_t number, Version version);

// The other way, in the numbers that every release knows.
std::int64_t argument_number(DType dtype);

}  // namespace mycel::formats::mindir
