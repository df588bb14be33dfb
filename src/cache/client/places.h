// SPDX-License-Identifier: Apache-2.0
// Where a server is found: one folder a user, in it a socket and a lock for every port.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "platform/error/error.h"
#include "platform/file/file.h"

namespace mycel::cache {

using platform::Path;

// The names of one server in the user's folder.
struct ServerPlace {
  Path folder;
  std::string socket_name;
  Path socket() const { return folder / socket_name; }
  Path lock() const { return folder / (socket_name + ".lock"); }
  Path log_folder() const { return folder / "cache" / "log"; }
};

ServerPlace server_place(const Path& user_folder, std::uint16_t port);

// "ann", or the number of a user without a name.
std::string login_name();

// Folders a server of this user may have chosen, first choice first: one below MYCEL_CACHE_DIR if
// that is set, else one below /tmp/mindspore and one below XDG_RUNTIME_DIR.
std::vector<Path> user_folders();

// The first of them that is, or can be made, a folder of this user alone. The error names each and
// says why not.
platform::Result<Path> make_user_folder();

}  // namespace mycel::cache
