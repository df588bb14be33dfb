// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <unordered_map>
#include <utility>

#include "tensor/tensor.h"

namespace mycel::formats::writing {

// Names of constants that a file has, so that equal ones are written once.
class KnownConstants {
 public:
  // The name of a dense tensor of the host; empty, to be filled in: there was none like it.
  std::string& name_of(const tensor::Tensor& dense);

 private:
  std::unordered_multimap<std::size_t, std::pair<tensor::Tensor, std::string>> names_;
};

}  // namespace mycel::formats::writing
