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

std::string_view state_name(Version::State state) {
  switch (state) {
    case Version::State::Starting: return "LOADING";
    case Version::State::Ready: return "READY";
    case Version::State::Draining: return "UNLOADING";
    case Version::State::Ended: return "UNAVAILABLE";
  }
  return "UNAVAILABLE";
}

std::string no_version(std::string_view text) { return join("version '", text, "' is no number"); }

}  // namespace

std::vector<ModelState> model_states(const Repository& repository) {
  std::vector<ModelState> states;
  for (const std::string& name : repository.known_servables()) {
    const auto versions = repository.versions_of(name);
    if (versions.empty()) states.push_back({name, "", "UNAVAILABLE"});
    for (const std::shared_ptr<Version>& version : versions)
      states.push_back({name, join(version->number()), std::string(state_name(version->state()))});
  }
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

void load_model(Repository& repository, const std::string& model, std::string_view version,
                Controlled done) {
  const std::optional<std::uint32_t> number = version_number(version);
  if (!version.empty() && !number) return done(no_version(version));
  repository.load_number(model, number.value_or(0), std::move(done));
}

void unload_model(Repository& repository, const std::string& model, std::string_view version,
                  Controlled done) {
  const std::optional<std::uint32_t> number = version_number(version);
  if (!version.empty() && !number) return done(no_version(version));
  std::vector<std::uint32_t> numbers;
  for (const std::shared_ptr<Version>& own : repository.versions_of(model))
    if (!number || own->number() == *number) numbers.push_back(own->number());
  if (numbers.empty()) return done(join("model '", model, "' is not loaded"));
  const auto left = std::make_shared<std::size_t>(numbers.size());
  for (const std::uint32_t each : numbers)
    repository.unload(model, each, [left, done](bool) {
      if (--*left == 0) done(std::nullopt);
    });
}

}  // namespace mycel::serving
