// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/json/json.h"
#include "serving/gateway/server.h"

namespace mycel::serving {

// Loads and listens as a configuration says:
//   {"servables": [{"servable": {...}, "version": 1, "folder": "...", "model_workers": 1, ...}],
//    "rest": {"address": "0.0.0.0:1500"}, "grpc": {"address": "0.0.0.0:5500"}}
// RuntimeError that names the member, or whatever Server throws.
void start(Server& server, const platform::Json& config);
VersionOptions read_version_options(const platform::Json& text);
ListenOptions read_listen_options(const platform::Json& text);

}  // namespace mycel::serving
