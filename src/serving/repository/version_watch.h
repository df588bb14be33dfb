// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>

#include "serving/repository/repository.h"
#include "serving/repository/version_folders.h"

namespace mycel::serving {

// Follows the folders of servables whose newest version is wanted. A version that appears is loaded
// beside the others once its files have come to rest; when it is ready it is the newest, and those
// before it finish what they have and go. One that cannot be loaded changes nothing until its files
// change. A version whose folder goes is unloaded unless it is the last.
class VersionWatch {
 public:
  VersionWatch(boost::asio::io_context& context, Repository& repository)
      : repository_(repository), timer_(context) {}

  // `options` are those of the version that is there already; the others get theirs from them.
  void follow(VersionOptions options, std::string servable, std::string servable_folder);
  void stop() { timer_.cancel(); }

 private:
  struct Followed {
    VersionOptions options;
    std::string folder;
    std::map<std::uint32_t, FolderMark> seen;    // at the last look
    std::map<std::uint32_t, FolderMark> failed;  // not tried again as long as they are so
    bool is_loading = false;
  };
  void wait();
  void look(const std::string& servable, Followed& followed);
  void load(const std::string& servable, std::uint32_t number, FolderMark mark);

  Repository& repository_;
  boost::asio::steady_timer timer_;
  std::map<std::string, Followed> followed_;
};

}  // namespace mycel::serving
