// SPDX-License-Identifier: Apache-2.0
#include "serving/gateway/model_lookup.h"

#include <charconv>

namespace mycel::serving {

using platform::join;

std::optional<std::uint64_t> read_number(std::string_view text) {
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size() || text.empty()) return std::nullopt;
  return number;
}

std::variant<Route, Failure> find_model(const Repository& repository, const std::string& model,
                                        std::uint64_t version) {
  std::variant<Route, Failure> found = repository.find(model, "", version);
  const std::size_t dot = model.rfind('.');
  if (std::holds_alternative<Failure>(found) && dot != std::string::npos)
    found = repository.find(model.substr(0, dot), model.substr(dot + 1), version);
  if (auto* failure = std::get_if<Failure>(&found)) {
    const std::string servable = model.substr(0, dot);
    const bool is_known =
        !repository.versions_of(model).empty() || !repository.versions_of(servable).empty();
    if (!is_known || failure->code == FailureCode::InvalidInputs) {
      failure->code = FailureCode::NotFound;
      failure->text = join("there is no model '", model, "'",
                           version == 0 ? "" : " of this version", "; ", failure->text);
    }
  }
  return found;
}

ModelDescription metadata_of(const Repository& repository, const std::string& model,
                             const Route& route) {
  ModelDescription metadata =
      describe(route.version->servable(), route.version->signatures(), *route.method);
  metadata.name = model;
  for (const std::shared_ptr<Version>& version :
       repository.versions_of(route.version->servable().name))
    if (version->state() == Version::State::Ready)
      metadata.versions.push_back(join(version->number()));
  return metadata;
}

std::string published_name(const Servable& servable, const Method& method) {
  return &method == servable.usual_method() ? servable.name : join(servable.name, ".", method.name);
}

}  // namespace mycel::serving
