// SPDX-License-Identifier: Apache-2.0
#include "formats/program/own_results.h"

#include <algorithm>

namespace mycel::formats {

using op::Datum;

Datum copied(const Datum& tensor) {
  return Datum(tensor.tensor().emitter().call("copy", {tensor.tensor()}));
}

Datum without_parameters(const Datum& result, std::span<const op::Value> parameters) {
  if (result.is_tensor()) {
    const auto is_result = [&](const op::Value& one) {
      return one.tensor() == result.tensor().tensor();
    };
    return std::ranges::none_of(parameters, is_result) ? result : copied(result);
  }
  if (!result.is_sequence()) return result;
  std::vector<Datum> items;
  for (const Datum& item : result.items()) items.push_back(without_parameters(item, parameters));
  return result.is_list() ? Datum::list(std::move(items)) : Datum::tuple(std::move(items));
}

}  // namespace mycel::formats
