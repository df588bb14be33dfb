// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "serving/repository/repository.h"

namespace mycel::serving {

// The repository extension of the Open Inference Protocol, whether over REST or gRPC.

struct ModelState {
  std::string name, version;
  std::string state;  // "READY", "UNAVAILABLE", "LOADING", "UNLOADING"
};
std::vector<ModelState> model_states(const Repository& repository, bool only_ready);
std::string write_model_states(const std::vector<ModelState>& states);

// What a body of REST asks for; all of it may be missing. A text: what is wrong with it.
struct ControlRequest {
  bool only_ready = false;              // of an index
  std::vector<std::string> parameters;  // names
};
std::variant<ControlRequest, std::string> read_control(std::string_view body);

struct ControlledModel {
  std::string name;
  std::string version;  // empty: the newest folder (load), or all that are there (unload)
  std::vector<std::string> parameters;  // names; those that would change something are refused
};
using Controlled = std::function<void(std::optional<std::string> problem)>;
void load_model(Repository& repository, const ControlledModel& model, Controlled done);
void unload_model(Repository& repository, const ControlledModel& model, Controlled done);

}  // namespace mycel::serving
