// SPDX-License-Identifier: Apache-2.0
// What the server says of itself in the Open Inference Protocol, over REST and gRPC.
#pragma once

#include <array>
#include <string>
#include <string_view>

namespace mycel::serving {

inline constexpr std::string_view kServerName = "mycel";
inline constexpr std::string_view kServerVersion = "2.3.0";
inline constexpr std::array<std::string_view, 4> kServerExtensions = {
    "binary_tensor_data", "model_repository", "model_configuration", "statistics"};

std::string write_server_metadata();

}  // namespace mycel::serving
