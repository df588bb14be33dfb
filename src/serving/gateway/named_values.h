// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "serving/repository/servable.h"
#include "serving/worker/frame.h"

namespace mycel::serving {

// One instance as clients give it: values by name.
using NamedValues = std::vector<std::pair<std::string, Value>>;

// In the order of the method's inputs. A failure names the input that is missing.
std::variant<Instance, Failure> in_order(const Servable& servable, const Method& method,
                                         NamedValues values);

// Why the request as a whole failed: the reason that all instances share. Nothing: some came
// through, or the reasons differ.
const Failure* common_failure(const std::vector<Outcome>& outcomes);

}  // namespace mycel::serving
