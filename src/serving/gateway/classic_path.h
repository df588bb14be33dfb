// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>

namespace mycel::serving {

// /model/<servable>[/version/<n>]:<method>, the two parts in any order.
struct ClassicPath {
  std::string servable;
  std::string method;
  std::uint32_t version = 0;
};

// Otherwise what clients are told.
std::variant<ClassicPath, std::string> read_classic_path(std::string_view target);

}  // namespace mycel::serving
