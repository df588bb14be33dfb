// SPDX-License-Identifier: Apache-2.0
#include "serving/gateway/model_control.h"

#include <memory>
#include <utility>

#include "platform/json/json.h"
#include "serving/repository/version_folders.h"

namespace mycel::serving {
namespace {

using platform::join;
using platform::Json;

constexpr std::string_view kReady = "READY";

std::string_view state_name(Version::State state) {
  switch (state) {
    case Version::State::Starting: return "LOADING";
    case Version::State::Ready: return kReady;
    case Version::State::Draining: return "UNLOADING";
    case Version::State::Ended: return "UNAVAILABLE";
  }
  return "UNAVAILABLE";
}

std::string no_version(std::string_view text) { return join("version '", text, "' is no number"); }

}  // namespace

std::vector<ModelState> model_states(const Repository& repository, bool only_ready) {
  std::vector<ModelState> states;
  for (const std::string& name : repository.known_servables()) {
    const auto versions = repository.versions_of(name);
    if (versions.empty()) states.push_back({name, "", "UNAVAILABLE"});
    for (const std::shared_ptr<Version>& version : versions)
      states.push_back({name, join(version->number()), std::string(state_name(version->state()))});
  }
  if (only_ready) std::erase_if(states, [](const ModelState& own) { return own.state != kReady; });
  return states;
}

std::string write_model_states(const std::vector<ModelState>& states) {
  Json::Array list;
  for (const ModelState& state : states) {
    Json::Object entry;
    entry.emplace_back("name", state.name);
    entry.emplace_back("version", state.version);
    entry.emplace_back("state", state.state);
    entry.emplace_back("reason", "");
    list.emplace_back(std::move(entry));
  }
  return Json(std::move(list)).text();
}

std::variant<ControlRequest, std::string> read_control(std::string_view body) {
  ControlRequest request;
  if (body.empty()) return request;
  try {
    const Json json = platform::parse_json(body, "repository request");
    if (const Json* ready = json.find("ready")) request.only_ready = ready->boolean();
    if (const Json* parameters = json.find("parameters"))
      for (const auto& [name, value] : parameters->object()) request.parameters.push_back(name);
  } catch (const platform::Error& error) {
    return error.message();
  }
  return request;
}

void load_model(Repository& repository, const ControlledModel& model, Controlled done) {
  if (!model.parameters.empty())
    return done(join("load parameter '", model.parameters.front(),
                     "' is not supported: models are loaded as their folders have them"));
  const std::optional<std::uint32_t> number = version_number(model.version);
  if (!model.version.empty() && !number) return done(no_version(model.version));
  repository.load_number(model.name, number.value_or(0), std::move(done));
}

void unload_model(Repository& repository, const ControlledModel& model, Controlled done) {
  // No model depends on another: with those that do or without, it is the same.
  for (const std::string& parameter : model.parameters)
    if (parameter != "unload_dependents")
      return done(join("unload parameter '", parameter, "' is not supported"));
  const std::optional<std::uint32_t> number = version_number(model.version);
  if (!model.version.empty() && !number) return done(no_version(model.version));
  std::vector<std::uint32_t> numbers;
  for (const std::shared_ptr<Version>& own : repository.versions_of(model.name))
    if (!number || own->number() == *number) numbers.push_back(own->number());
  if (numbers.empty()) return done(join("model '", model.name, "' is not loaded"));
  const auto left = std::make_shared<std::size_t>(numbers.size());
  for (const std::uint32_t each : numbers)
    repository.unload(model.name, each, [left, done](bool) {
      if (--*left == 0) done(std::nullopt);
    });
}

}  // namespace mycel::serving
