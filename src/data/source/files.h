// SPDX-License-Identifier: Apache-2.0
// Folders and files as sources need them: sorted, complete, and with the path in every message.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "data/item.h"
#include "data/parameters.h"
#include "platform/file/file.h"

namespace mycel::data {

using platform::Path;

enum class EntryKind : std::uint8_t { File, Folder, Any };

// Names (not paths) in a folder, sorted. RuntimeError when the folder cannot be read.
std::vector<std::string> list_folder(const Path& folder, EntryKind kind);

// ".jpg" of "a/b.JPG": lower case, empty without a dot.
std::string lower_extension(std::string_view name);
std::string lower_case(std::string_view text);

// RuntimeError with the path when it cannot be opened.
platform::FileReader open_file(const Path& path);

// The argument `usage`; "all" when it is not given.
std::string usage_of(const Parameters& parameters);

// A whole file as an array of bytes, or as text. RuntimeError with the path.
Tensor read_bytes(const Path& path);
std::string read_text_file(const Path& path);

std::string_view trimmed(std::string_view text);  // blanks, tabs and line ends at both ends
std::vector<std::string> split_blanks(std::string_view text);
std::vector<std::string> split_at(std::string_view text, char separator);
std::vector<std::string> split_lines(std::string_view text);  // without line ends, CR LF too

// The whole text is a number.
bool parse_number(std::string_view text, double& value);
bool parse_number(std::string_view text, std::int64_t& value);

// "Invalid data, MnistDataset API can't read the data file (interface mismatch or no data found).
// Check mnist file in directory: ..." as a RuntimeError.
[[noreturn]] void nothing_to_read(std::string_view dataset, std::string_view what,
                                  std::string_view path);

}  // namespace mycel::data
