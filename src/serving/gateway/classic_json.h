// SPDX-License-Identifier: Apache-2.0
// The JSON of MindSpore Serving's REST protocol.
#pragma once

#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "serving/gateway/named_values.h"

namespace mycel::serving {

// The instances of a body. Otherwise what clients are told.
std::variant<std::vector<NamedValues>, std::string> read_classic_body(std::string_view body);

std::string classic_reply(const Method& method, const std::vector<Outcome>& outcomes);
std::string classic_error(std::string_view text);

}  // namespace mycel::serving
