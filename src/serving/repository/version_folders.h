// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace mycel::serving {

// The number a version's folder bears: digits without a leading zero, from 1 on.
std::optional<std::uint32_t> version_number(std::string_view folder_name);

// A mark of a folder's state: names, sizes and times of the files in it, as one number.
using FolderMark = std::uint64_t;

// The versions in a servable's folder. Folders that cannot be read hold none.
std::map<std::uint32_t, FolderMark> version_folders(const std::string& servable_folder);

}  // namespace mycel::serving
