// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

#include "platform/file/file.h"

namespace mycel::formats {

// The bytes of a file: mapped for those who look for something in it, and read where much is
// wanted. Mapped pages count as memory of the process for as long as the file is open.
class FileContent {
 public:
  explicit FileContent(const platform::Path& path);

  std::string_view bytes() const;
  // Lets go of the mapped pages; they come back when touched.
  void forget() const;
  // `part`: of bytes().
  void copy(std::string_view part, char* target) const;
  std::uint32_t crc32(std::string_view part, std::uint32_t before = 0) const;
  // After bytes() were used: an error when somebody has cut the file short since it was opened.
  void check() const { mapped_.check().value(); }

 private:
  std::uint64_t place_of(std::string_view part) const;

  platform::MappedFile mapped_;
  platform::FileReader reader_;
};

}  // namespace mycel::formats
