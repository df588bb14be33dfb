// SPDX-License-Identifier: Apache-2.0
// Object code on disk, by content: an entry is found by the text it was compiled from and by the
// target it was compiled for.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "platform/file/file.h"

namespace mycel::cpu::codegen {

// An entry is written beside its place and renamed into it, and carries a checksum. One that is
// damaged, cut short, not ours, writable by others or of another text is as good as none, and is
// replaced. Failing to read or write is never an error: the code is compiled instead.
class CodeCache {
 public:
  static constexpr std::uint64_t kDefaultLimit = std::uint64_t{64} << 20;

  // An empty folder: nothing is kept. `target` names compiler, processor and our version.
  CodeCache(platform::Path folder, std::string target, std::uint64_t limit = kDefaultLimit);

  std::optional<std::string> find(std::string_view text) const;
  void store(std::string_view text, std::string_view object) const;

  platform::Path path_of(std::string_view text) const;

 private:
  void make_room(std::uint64_t bytes) const;  // the entries used longest ago go first
  platform::Path folder_;
  std::string target_;
  std::uint64_t limit_;
};

// Where entries go when nobody says: MYCEL_CODE_CACHE, or a folder in the user's cache folder.
platform::Path default_code_folder();

}  // namespace mycel::cpu::codegen
