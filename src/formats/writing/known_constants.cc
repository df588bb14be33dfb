// SPDX-License-Identifier: Apache-2.0
#include "formats/writing/known_constants.h"

#include <functional>
#include <string_view>

#include "formats/message/tensor_bytes.h"

namespace mycel::formats::writing {

std::string& KnownConstants::name_of(const tensor::Tensor& dense) {
  const std::size_t hash = std::hash<std::string_view>()(bytes_of(dense));
  for (auto [known, end] = names_.equal_range(hash); known != end; ++known)
    if (are_same(known->second.first, dense)) return known->second.second;
  return names_.emplace(hash, std::pair{dense, std::string()})->second.second;
}

}  // namespace mycel::formats::writing
