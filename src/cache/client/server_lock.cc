// SPDX-License-Identifier: Apache-2.0
#include "cache/client/server_lock.h"

#include <cerrno>
#include <cstring>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

namespace mycel::cache {
namespace {

using platform::Descriptor;
using platform::Error;
using platform::ErrorKind;
using platform::join;
using platform::Result;

Error cannot_use(const Path& path) {
  return {ErrorKind::Runtime,
          join("the lock file '", path.string(), "' cannot be used: ", std::strerror(errno))};
}

// The name still stands for the file: whoever held it before may have removed it in between.
bool is_current(int file, const Path& path) {
  struct stat here {};
  struct stat there {};
  return fstat(file, &here) == 0 && lstat(path.c_str(), &there) == 0 &&
         here.st_ino == there.st_ino && here.st_dev == there.st_dev;
}

// The process whose name the file holds, if there is one.
std::optional<ProcessIdentity> process_in(int file) {
  char text[256] = {};
  const ssize_t size = pread(file, text, sizeof text - 1, 0);
  if (size <= 0) return std::nullopt;
  std::optional<ProcessIdentity> process = parse_identity({text, static_cast<std::size_t>(size)});
  return process && is_alive(*process) ? process : std::nullopt;
}

}  // namespace

Result<std::optional<ServerLock>> ServerLock::take(const Path& path) {
  while (true) {
    Descriptor file(open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600));
    if (file.number() < 0) return cannot_use(path);
    if (flock(file.number(), LOCK_EX | LOCK_NB) != 0) {
      if (errno != EWOULDBLOCK) return cannot_use(path);
      return std::optional<ServerLock>();
    }
    if (!is_current(file.number(), path)) continue;
    const std::string text = text_of(this_process());
    if (ftruncate(file.number(), 0) != 0 ||
        pwrite(file.number(), text.data(), text.size(), 0) != static_cast<ssize_t>(text.size())) {
      return cannot_use(path);
    }
    return std::optional(ServerLock(std::move(file), path));
  }
}

void ServerLock::remove_file() {
  if (is_current(file_.number(), path_)) unlink(path_.c_str());
}

std::optional<LockHolder> lock_holder(const Path& path) {
  const Descriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  if (file.number() < 0 || !is_current(file.number(), path)) return std::nullopt;
  if (std::optional<ProcessIdentity> process = process_in(file.number()))
    return LockHolder{std::move(process)};
  // Nobody of that name: then the lock says whether somebody is on the way.
  if (flock(file.number(), LOCK_SH | LOCK_NB) == 0) return std::nullopt;
  return LockHolder{};
}

}  // namespace mycel::cache
