// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace mycel::platform {

// An environment variable the system listens to. Nobody reads the environment but this folder.
struct Setting {
  std::string_view name;
  std::string_view initial;  // what holds when the variable is not set; may be empty
  std::string_view help;
};

// Every variable there is, by name.
std::span<const Setting> settings();

// The variable's text, or its default when it is not set. Internal error for a name not declared.
std::string setting(std::string_view name);
// Empty when the variable is not set at all.
std::optional<std::string> setting_if_given(std::string_view name);
// ValueError naming the variable unless it holds a whole number in [low, high].
std::int64_t integer_setting(std::string_view name, std::int64_t low, std::int64_t high);
// "0", "false", "off", "no" and empty are false; "1", "true", "on", "yes" true; else ValueError.
bool flag_setting(std::string_view name);

// Text that is wholly one decimal number.
std::optional<std::int64_t> parse_integer(std::string_view text);

}  // namespace mycel::platform
