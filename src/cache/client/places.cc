// SPDX-License-Identifier: Apache-2.0
#include "cache/client/places.h"

#include <cerrno>
#include <cstring>

#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>

#include "platform/options/options.h"

namespace mycel::cache {
namespace {

using platform::Error;
using platform::ErrorKind;
using platform::join;
using platform::Result;

constexpr mode_t kOwnFolder = 0700;
constexpr mode_t kSharedFolder =
    01777;  // as /tmp: every user makes a folder, nobody removes another's

std::string reason() { return std::strerror(errno); }

// Empty: it is a folder of this user alone now. Otherwise why it is not.
std::string trouble_with(const Path& folder) {
  if (mkdir(folder.c_str(), kOwnFolder) != 0 && errno != EEXIST) return reason();
  struct stat info {};
  if (lstat(folder.c_str(), &info) != 0) return reason();
  if (!S_ISDIR(info.st_mode)) return "it is no folder";
  if (info.st_uid != geteuid()) return "it belongs to another user";
  if ((info.st_mode & 07777) != kOwnFolder && chmod(folder.c_str(), kOwnFolder) != 0)
    return reason();
  return access(folder.c_str(), W_OK) == 0 ? std::string() : reason();
}

// What is between the root and a user's folder. Failures show when that one is made.
void make_parents(const Path& folder) {
  const Path parent = folder.parent_path();
  struct stat info {};
  if (parent.empty() || stat(parent.c_str(), &info) == 0) return;
  make_parents(parent);
  // In one step: whoever is killed between two would leave a folder that shuts all others out.
  const mode_t mask = umask(0);
  mkdir(parent.c_str(), parent == "/tmp/mindspore" ? kSharedFolder : kOwnFolder);
  umask(mask);
}

}  // namespace

ServerPlace server_place(const Path& user_folder, std::uint16_t port) {
  return {user_folder, join("cache_server_p", port)};
}

std::string login_name() {
  char buffer[4096];
  passwd entry{};
  passwd* found = nullptr;
  getpwuid_r(geteuid(), &entry, buffer, sizeof buffer, &found);
  const std::string name = found == nullptr ? "" : entry.pw_name;
  const bool is_usable = !name.empty() && name.find('/') == std::string::npos && name[0] != '.';
  return is_usable ? name : join(geteuid());
}

std::vector<Path> user_folders() {
  const std::string name = login_name();
  const std::string chosen = platform::setting("MYCEL_CACHE_DIR");
  if (!chosen.empty()) return {std::filesystem::absolute(chosen) / name};
  std::vector<Path> folders = {Path("/tmp/mindspore") / name};
  const std::string runtime = platform::setting("XDG_RUNTIME_DIR");
  if (!runtime.empty() && runtime[0] == '/') folders.push_back(Path(runtime) / "mindspore" / name);
  return folders;
}

Result<Path> make_user_folder() {
  std::string troubles;
  for (const Path& folder : user_folders()) {
    make_parents(folder);
    const std::string trouble = trouble_with(folder);
    if (trouble.empty()) return folder;
    troubles += join(troubles.empty() ? "" : "; ", "'", folder.string(), "': ", trouble);
  }
  return Error(ErrorKind::Runtime, join("there is no folder for the cache server: ", troubles,
                                        ". Set MYCEL_CACHE_DIR to a folder of your own."));
}

}  // namespace mycel::cache
