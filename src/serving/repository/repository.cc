// SPDX-License-Identifier: Apache-2.0
#include "serving/repository/repository.h"

#include <algorithm>
#include <filesystem>
#include <utility>

#include "serving/repository/version_folders.h"

namespace mycel::serving {
namespace {

using platform::join;

std::int64_t milliseconds_since_1970() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::milliseconds>(now).count();
}

// Instances of which every one failed for the same reason fail as one request, and are told so.
std::size_t failed_count(const std::vector<Outcome>& outcomes) {
  return static_cast<std::size_t>(std::ranges::count_if(
      outcomes, [](const Outcome& outcome) { return std::holds_alternative<Failure>(outcome); }));
}

}  // namespace

void Repository::load(VersionOptions options,
                      std::function<void(std::optional<std::string>)> loaded) {
  std::shared_ptr<Version> version;
  const VersionOptions kept = options;
  try {
    version = std::make_shared<Version>(context_, std::move(options));
  } catch (const platform::Error& error) {
    return loaded(join("Fail to start workers: ", error.message()));
  }
  const std::string name = version->servable().name;
  const std::uint32_t number = version->number();
  std::shared_ptr<Version>& place = versions_[name][number];
  if (place != nullptr && place->state() != Version::State::Ended)  // one that was lost may be
    return loaded(join("Fail to start workers: servable '", name, "' version ", number,
                       " is loaded already"));
  place = version;
  known_[name] = {kept, version->servable().folder};
  version->on_lost([this] {
    const std::vector<std::shared_ptr<Version>> all = versions();
    const bool are_all_lost = std::ranges::all_of(
        all, [](const auto& own) { return own->state() == Version::State::Ended; });
    if (are_all_lost && lost_) lost_();
  });
  version->start([this, version, loaded = std::move(loaded)](std::optional<std::string> problem) {
    if (problem) forget(version);
    loaded(std::move(problem));
  });
}

void Repository::load_number(const std::string& servable, std::uint32_t number,
                             std::function<void(std::optional<std::string>)> loaded) {
  const auto known = known_.find(servable);
  if (known == known_.end()) return loaded(join("there is no servable '", servable, "'"));
  const std::map<std::uint32_t, FolderMark> folders = version_folders(known->second.folder);
  if (number == 0 && !folders.empty()) number = folders.rbegin()->first;
  if (!folders.contains(number))
    return loaded(join("there is no version directory of models for version ", number, " in ",
                       known->second.folder));
  VersionOptions options = known->second.options;
  options.number = number;
  options.folder = (std::filesystem::path(known->second.folder) / std::to_string(number)).string();
  load(std::move(options), std::move(loaded));
}

void Repository::unload(const std::string& name, std::uint32_t number,
                        std::function<void(bool)> unloaded) {
  const auto servable = versions_.find(name);
  const auto at = servable == versions_.end()
                      ? std::map<std::uint32_t, std::shared_ptr<Version>>::iterator{}
                      : servable->second.find(number);
  if (servable == versions_.end() || at == servable->second.end()) return unloaded(false);
  constexpr std::chrono::seconds kPatience{30};
  const std::shared_ptr<Version> version = at->second;
  version->stop(kPatience, [this, version, unloaded = std::move(unloaded)] {
    forget(version);
    unloaded(true);
  });
}

// Another version may have come in its place.
void Repository::forget(const std::shared_ptr<Version>& version) {
  const auto own = versions_.find(version->servable().name);
  if (own == versions_.end()) return;
  const auto at = own->second.find(version->number());
  if (at != own->second.end() && at->second == version) own->second.erase(at);
  if (own->second.empty()) versions_.erase(own);
}

void Repository::stop(std::chrono::milliseconds patience, std::function<void()> stopped) {
  const std::vector<std::shared_ptr<Version>> all = versions();
  if (all.empty()) return stopped();
  const auto left = std::make_shared<std::size_t>(all.size());
  for (const std::shared_ptr<Version>& version : all) {
    version->stop(patience, [this, version, left, stopped] {
      if (--*left != 0) return;
      versions_.clear();
      stopped();
    });
  }
}

std::variant<Route, Failure> Repository::find(const std::string& name, std::string_view method,
                                              std::uint64_t version) const {
  std::shared_ptr<Version> found;
  if (const auto at = versions_.find(name); at != versions_.end())
    for (const auto& [number, own] : at->second)
      if (own->state() == Version::State::Ready && (version == 0 || version == number)) found = own;
  if (found == nullptr) {
    const std::string which = version == 0 ? std::string() : join(" version ", version);
    return Failure{FailureCode::ServableUnavailable,
                   join("Request Servable(", name, ")", which, ", servable is not available")};
  }
  const Servable& servable = found->servable();
  const Method* own = method.empty() ? servable.usual_method() : servable.find(method);
  if (own == nullptr)
    return Failure{FailureCode::InvalidInputs, join("Request Servable(", name, ") method(", method,
                                                    "), method is not available")};
  return Route{std::move(found), own};
}

void Repository::submit(const Route& route, Request request) {
  MethodStatistics& statistics = route.version->statistics(*route.method);
  if (request.instances.size() > kMostRequestInstances)
    return request.done({Failure{FailureCode::InvalidInputs,
                                 join("a request may hold at most ", kMostRequestInstances,
                                      " instances, but has ", request.instances.size())}});
  if (open_requests_ >= most_requests_) {
    statistics.refused.fetch_add(1, std::memory_order_relaxed);
    return request.done(std::vector<Outcome>(
        std::max<std::size_t>(request.instances.size(), 1),
        Failure{
            FailureCode::QueueFull,
            join("Serving Error: enqueued requests count exceeds the limit ", most_requests_)}));
  }
  ++open_requests_;
  statistics.requests.fetch_add(1, std::memory_order_relaxed);
  statistics.instances.fetch_add(request.instances.size(), std::memory_order_relaxed);
  statistics.last_request.store(milliseconds_since_1970(), std::memory_order_relaxed);
  const Clock::time_point begin = Clock::now();
  request.method = route.method;
  request.done = [this, route, begin, &statistics,
                  done = std::move(request.done)](std::vector<Outcome> outcomes) {
    --open_requests_;
    const std::size_t failed = failed_count(outcomes);
    const Clock::duration time = Clock::now() - begin;
    statistics.failed_instances.fetch_add(failed, std::memory_order_relaxed);
    statistics.succeeded_instances.fetch_add(outcomes.size() - failed, std::memory_order_relaxed);
    statistics.latency.add(time);
    (failed == 0 ? statistics.succeeded : statistics.failed).add(time);
    done(std::move(outcomes));
  };
  route.version->submit(std::move(request));
}

std::vector<std::shared_ptr<Version>> Repository::versions() const {
  std::vector<std::shared_ptr<Version>> all;
  for (const auto& [name, own] : versions_)
    for (const auto& [number, version] : own) all.push_back(version);
  return all;
}

std::vector<std::shared_ptr<Version>> Repository::versions_of(const std::string& name) const {
  std::vector<std::shared_ptr<Version>> all;
  if (const auto at = versions_.find(name); at != versions_.end())
    for (const auto& [number, version] : at->second) all.push_back(version);
  return all;
}

std::vector<std::string> Repository::known_servables() const {
  std::vector<std::string> names;
  for (const auto& [name, known] : known_) names.push_back(name);
  return names;
}

bool Repository::is_ready() const {
  const std::vector<std::shared_ptr<Version>> all = versions();
  return !all.empty() && std::ranges::all_of(all, [](const std::shared_ptr<Version>& version) {
    return version->state() == Version::State::Ready;
  });
}

}  // namespace mycel::serving
