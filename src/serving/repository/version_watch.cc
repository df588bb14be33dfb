// SPDX-License-Identifier: Apache-2.0
#include "serving/repository/version_watch.h"

#include <filesystem>
#include <utility>

#include "platform/log/log.h"

namespace mycel::serving {
namespace {

constexpr std::chrono::seconds kLookEvery{1};

}  // namespace

void VersionWatch::follow(VersionOptions options, std::string servable,
                          std::string servable_folder) {
  const bool is_first = followed_.empty();
  Followed followed;
  followed.options = std::move(options);
  followed.folder = std::move(servable_folder);
  followed.seen = version_folders(followed.folder);
  followed_[std::move(servable)] = std::move(followed);
  if (is_first) wait();
}

void VersionWatch::wait() {
  timer_.expires_after(kLookEvery);
  timer_.async_wait([this](boost::system::error_code error) {
    if (error) return;
    for (auto& [servable, followed] : followed_) look(servable, followed);
    wait();
  });
}

void VersionWatch::look(const std::string& servable, Followed& followed) {
  const std::map<std::uint32_t, FolderMark> now = version_folders(followed.folder);
  const std::map<std::uint32_t, FolderMark> before = std::exchange(followed.seen, now);
  std::uint32_t newest = 0;
  const auto loaded = repository_.versions_of(servable);
  for (const std::shared_ptr<Version>& version : loaded)
    newest = std::max(newest, version->number());
  for (const std::shared_ptr<Version>& version : loaded) {
    if (now.contains(version->number()) || version->number() == newest) continue;
    if (version->state() == Version::State::Ready)
      repository_.unload(servable, version->number(), [](bool) {});
  }
  if (followed.is_loading || now.empty()) return;
  const auto& [number, mark] = *now.rbegin();
  const auto at_rest = before.find(number);
  const auto failed = followed.failed.find(number);
  const bool has_failed = failed != followed.failed.end() && failed->second == mark;
  if (number <= newest || at_rest == before.end() || at_rest->second != mark || has_failed) return;
  followed.is_loading = true;
  load(servable, number, mark);
}

void VersionWatch::load(const std::string& servable, std::uint32_t number, FolderMark mark) {
  Followed& followed = followed_.at(servable);
  VersionOptions options = followed.options;
  options.number = number;
  options.folder = (std::filesystem::path(followed.folder) / std::to_string(number)).string();
  platform::log_info("serving: version ", number, " of servable '", servable, "' has appeared");
  repository_.load(
      std::move(options), [this, servable, number, mark](std::optional<std::string> problem) {
        Followed& own = followed_.at(servable);
        own.is_loading = false;
        if (problem) {
          own.failed[number] = mark;
          platform::log_error("serving: version ", number, " of servable '", servable,
                              "' cannot be loaded, the one before it stays: ", *problem);
          return;
        }
        for (const std::shared_ptr<Version>& version : repository_.versions_of(servable))
          if (version->number() < number)
            repository_.unload(servable, version->number(), [](bool) {});
      });
}

}  // namespace mycel::serving
