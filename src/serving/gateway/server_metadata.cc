// SPDX-License-Identifier: Apache-2.0
#include "serving/gateway/server_metadata.h"

#include "platform/json/json.h"

namespace mycel::serving {

using platform::Json;

std::string write_server_metadata() {
  Json::Array extensions;
  for (const std::string_view name : kServerExtensions) extensions.emplace_back(std::string(name));
  Json::Object metadata;
  metadata.emplace_back("name", std::string(kServerName));
  metadata.emplace_back("version", std::string(kServerVersion));
  metadata.emplace_back("extensions", std::move(extensions));
  return Json(std::move(metadata)).text();
}

}  // namespace mycel::serving
