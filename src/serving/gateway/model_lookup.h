// SPDX-License-Identifier: Apache-2.0
// Models as the Open Inference Protocol names them: "servable" or "servable.method".
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "serving/gateway/open_inference.h"
#include "serving/repository/repository.h"

namespace mycel::serving {

// Digits and nothing else. Nothing: it is no number, or too large a one.
std::optional<std::uint64_t> read_number(std::string_view text);

// Version 0: the newest.
std::variant<Route, Failure> find_model(const Repository& repository, const std::string& model,
                                        std::uint64_t version);
ModelDescription metadata_of(const Repository& repository, const std::string& model,
                             const Route& route);
// The shortest name that means the method.
std::string published_name(const Servable& servable, const Method& method);

}  // namespace mycel::serving
