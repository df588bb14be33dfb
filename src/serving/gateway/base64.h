// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace mycel::serving {

// RFC 4648, with padding.
std::string to_base64(std::span<const std::byte> bytes);
// Nothing: the text is no base64.
std::optional<std::string> from_base64(std::string_view text);

}  // namespace mycel::serving
