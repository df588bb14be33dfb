// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "cache/client/places.h"
#include "platform/error/error.h"
#include "platform/file/file.h"

namespace mycel::cache {

// The folder for rows that memory has no room for. Files in it have no name from the moment they
// are made, so the system frees their space with the process. Where the file system cannot do that,
// a file lies for a moment in a folder with a marker, which tells a later start whose it was.
class SpillFolder {
 public:
  // How a file loses its name. `Marked` is what happens where `Unnamed` is not possible.
  enum class FileKind : std::uint8_t { Unnamed, Marked };

  // Checks that the folder can be written to and removes what dead servers of this port left there.
  // The error has the words users know.
  static platform::Result<SpillFolder> open(const Path& path, std::uint16_t port);

  const Path& path() const { return path_; }
  platform::Result<platform::Descriptor> make_file(FileKind kind = FileKind::Unnamed) const;

 private:
  SpillFolder(Path path, std::uint16_t port) : path_(std::move(path)), port_(port) {}
  platform::Result<platform::Descriptor> make_marked_file() const;
  void sweep() const;
  Path path_;
  std::uint16_t port_;
};

// Names the server a folder belongs to; nobody removes a folder without it.
constexpr const char* kSpillMarker = "mycel_cache_server";

}  // namespace mycel::cache
