// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "cache/client/places.h"
#include "cache/client/process_identity.h"
#include "platform/error/error.h"
#include "platform/file/file.h"

namespace mycel::cache {

// The folder for rows that memory has no room for. Files in it have no name from the moment they
// are made, so the system frees their space with the process. Where the file system cannot do that,
// a file lies for a moment in a folder whose name tells a later start whose it was: there is no
// moment at which a kill would leave something that nobody knows.
class SpillFolder {
 public:
  // How a file loses its name. `Named` is what happens where `Unnamed` is not possible.
  enum class FileKind : std::uint8_t { Unnamed, Named };

  // Checks that the folder can be written to and removes what dead servers of this port left there.
  // The error has the words users know.
  static platform::Result<SpillFolder> open(const Path& path, std::uint16_t port);

  const Path& path() const { return path_; }
  platform::Result<platform::Descriptor> make_file(FileKind kind = FileKind::Unnamed) const;

 private:
  SpillFolder(Path path, std::uint16_t port) : path_(std::move(path)), port_(port) {}
  platform::Result<platform::Descriptor> make_named_file() const;
  void sweep() const;
  Path path_;
  std::uint16_t port_;
};

// "mycel_cache_server.50052.4711.123456.0b57….x7c2": the folder of rows of that process, which
// serves the port, and some letters. Nobody removes a folder of another kind of name.
std::string spill_folder_name(std::uint16_t port, const ProcessIdentity& process);

}  // namespace mycel::cache
