// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "cache/client/places.h"
#include "cache/client/process_identity.h"
#include "platform/error/error.h"
#include "platform/file/file.h"

namespace mycel::cache {

// Whether a server runs is decided by this alone: it holds a lock on a file for its whole life, and
// the kernel lets go of it whatever ends the server. Leftovers decide nothing.
class ServerLock {
 public:
  // Nothing: another process holds it, which may be one that only looks who does and lets go at
  // once. The error names the file that cannot be used.
  static platform::Result<std::optional<ServerLock>> take(const Path& path);
  ServerLock(ServerLock&&) = default;
  ServerLock& operator=(ServerLock&&) = default;

  // Removes the file, unless somebody has done so and another server has made its own since; the
  // lock itself goes with the object.
  void remove_file();

 private:
  ServerLock(platform::Descriptor file, Path path)
      : file_(std::move(file)), path_(std::move(path)) {}
  platform::Descriptor file_;
  Path path_;
};

// Who holds the lock. Nothing: nobody.
struct LockHolder {
  std::optional<ProcessIdentity> process;  // nothing: it has not said yet
};
std::optional<LockHolder> lock_holder(const Path& path);

}  // namespace mycel::cache
