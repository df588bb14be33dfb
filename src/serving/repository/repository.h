// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "serving/repository/version.h"

namespace mycel::serving {

// Where a request goes: held until it is answered, so that nothing is unloaded under it.
struct Route {
  std::shared_ptr<Version> version;
  const Method* method = nullptr;
};

// The servables of this server by name and version. One thread uses it, that of its io_context.
class Repository {
 public:
  explicit Repository(boost::asio::io_context& context) : context_(context) {}

  // `loaded` is called once: nothing when the version is ready, else why it is not.
  void load(VersionOptions options, std::function<void(std::optional<std::string>)> loaded);
  // Another version of a servable that was loaded before: with its options, from the folder of that
  // number. Number 0: the newest folder there is.
  void load_number(const std::string& servable, std::uint32_t number,
                   std::function<void(std::optional<std::string>)> loaded);
  // Finishes what it has and ends its workers. `unloaded` gets whether there was such a version.
  void unload(const std::string& name, std::uint32_t number, std::function<void(bool)> unloaded);
  void stop(std::chrono::milliseconds patience, std::function<void()> stopped);
  // A servable lost its last worker for good.
  void on_lost(std::function<void()> lost) { lost_ = std::move(lost); }

  // Version 0 is the newest that is ready. An empty method is the servable's usual one.
  std::variant<Route, Failure> find(const std::string& name, std::string_view method,
                                    std::uint64_t version) const;
  // Refused when as many requests as may be are on their way; counted and timed otherwise.
  void submit(const Route& route, Request request);

  std::vector<std::shared_ptr<Version>> versions() const;
  std::vector<std::string> known_servables() const;  // loaded or not
  std::vector<std::shared_ptr<Version>> versions_of(const std::string& name) const;
  bool is_ready() const;  // all that was loaded is, and something was

  void set_most_requests(std::size_t count) { most_requests_ = count; }
  std::size_t open_requests() const { return open_requests_; }

 private:
  boost::asio::io_context& context_;
  std::map<std::string, std::map<std::uint32_t, std::shared_ptr<Version>>, std::less<>> versions_;
  struct Known {
    VersionOptions options;
    std::string folder;
  };
  std::map<std::string, Known> known_;  // what was loaded at some time, by servable
  std::function<void()> lost_;
  std::size_t most_requests_ = 10000;
  std::size_t open_requests_ = 0;
};

}  // namespace mycel::serving
