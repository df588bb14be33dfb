// SPDX-License-Identifier: Apache-2.0
#include "serving/gateway/classic_path.h"

#include <charconv>
#include <vector>

#include "platform/error/error.h"

namespace mycel::serving {
namespace {

using platform::join;

std::vector<std::string_view> parts_of(std::string_view path) {
  std::vector<std::string_view> parts;
  while (!path.empty()) {
    const std::size_t slash = path.find('/');
    const std::string_view part = path.substr(0, slash);
    if (!part.empty()) parts.push_back(part);
    if (slash == std::string_view::npos) break;
    path.remove_prefix(slash + 1);
  }
  return parts;
}

}  // namespace

std::variant<ClassicPath, std::string> read_classic_path(std::string_view target) {
  target = target.substr(0, target.find('?'));
  ClassicPath path;
  const std::size_t colon = target.rfind(':');
  if (colon == std::string_view::npos || target.find('/', colon) != std::string_view::npos ||
      colon + 1 == target.size())
    return "please check url, the keyword:[service method] must contain.";
  path.method = target.substr(colon + 1);
  const std::vector<std::string_view> parts = parts_of(target.substr(0, colon));
  for (std::size_t i = 0; i < parts.size(); i += 2) {
    const bool is_known = parts[i] == "model" || parts[i] == "version";
    if (!is_known)
      return join("please check url, the keyword:[model] must contain, but got '", parts[i], "'");
    if (i + 1 == parts.size())
      return join("please check url, the value of keyword:[", parts[i], "] is missing");
    const std::string_view value = parts[i + 1];
    if (parts[i] == "model") {
      path.servable = value;
    } else {
      const auto [end, error] =
          std::from_chars(value.data(), value.data() + value.size(), path.version);
      if (error != std::errc() || end != value.data() + value.size())
        return join("please check url, version number range failed: '", value, "'");
    }
  }
  if (path.servable.empty()) return "please check url, the keyword:[model] must contain.";
  return path;
}

}  // namespace mycel::serving
