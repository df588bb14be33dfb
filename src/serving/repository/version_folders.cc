// SPDX-License-Identifier: Apache-2.0
#include "serving/repository/version_folders.h"

#include <charconv>
#include <filesystem>
#include <functional>
#include <system_error>

namespace mycel::serving {
namespace {

namespace fs = std::filesystem;

FolderMark mark_of(const fs::path& folder) {
  FolderMark mark = 0;
  std::error_code error;
  for (fs::recursive_directory_iterator at(folder, error), end; !error && at != end;
       at.increment(error)) {
    std::error_code gone;
    const auto time = at->last_write_time(gone).time_since_epoch().count();
    const auto size = at->is_regular_file(gone) ? at->file_size(gone) : 0;
    // A sum, because the order in which a folder is read is nobody's.
    mark += std::hash<std::string>{}(at->path().string()) ^ std::hash<std::uint64_t>{}(size)*3 ^
            std::hash<std::int64_t>{}(time)*7;
  }
  return mark;
}

}  // namespace

std::optional<std::uint32_t> version_number(std::string_view folder_name) {
  std::uint32_t number = 0;
  const char* end = folder_name.data() + folder_name.size();
  const auto [stop, error] = std::from_chars(folder_name.data(), end, number);
  if (error != std::errc() || stop != end || folder_name.starts_with('0')) return std::nullopt;
  return number;
}

std::map<std::uint32_t, FolderMark> version_folders(const std::string& servable_folder) {
  std::map<std::uint32_t, FolderMark> versions;
  std::error_code error;
  for (fs::directory_iterator at(servable_folder, error), end; !error && at != end;
       at.increment(error)) {
    std::error_code gone;
    const std::optional<std::uint32_t> number = version_number(at->path().filename().string());
    if (number && at->is_directory(gone)) versions[*number] = mark_of(at->path());
  }
  return versions;
}

}  // namespace mycel::serving
