// SPDX-License-Identifier: Apache-2.0
#include "serving/gateway/named_values.h"

#include <algorithm>

namespace mycel::serving {

std::variant<Instance, Failure> in_order(const Servable& servable, const Method& method,
                                         NamedValues values) {
  Instance instance;
  for (const std::string& name : method.inputs) {
    const auto at = std::ranges::find(values, name, &NamedValues::value_type::first);
    if (at == values.end())
      return Failure{FailureCode::InvalidInputs,
                     platform::join("Cannot find input ", name, " in instance input, servable ",
                                    servable.name, ", method ", method.name)};
    instance.push_back(at->second);
  }
  return instance;
}

const Failure* common_failure(const std::vector<Outcome>& outcomes) {
  const Failure* first = nullptr;
  for (const Outcome& outcome : outcomes) {
    const auto* failure = std::get_if<Failure>(&outcome);
    if (failure == nullptr || (first != nullptr && failure->text != first->text)) return nullptr;
    first = failure;
  }
  return first;
}

}  // namespace mycel::serving
