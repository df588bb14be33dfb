// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "serving/repository/repository.h"

namespace mycel::serving {

// The repository extension of the Open Inference Protocol, whether over REST or gRPC.

struct ModelState {
  std::string name, version;
  std::string state;  // "READY", "UNAVAILABLE", "LOADING", "UNLOADING"
};
std::vector<ModelState> model_states(const Repository& repository);
std::string write_model_states(const std::vector<ModelState>& states);

// `version` is empty for the newest folder (load), or for all that are there (unload).
using Controlled = std::function<void(std::optional<std::string> problem)>;
void load_model(Repository& repository, const std::string& model, std::string_view version,
                Controlled done);
void unload_model(Repository& repository, const std::string& model, std::string_view version,
                  Controlled done);

}  // namespace mycel::serving
