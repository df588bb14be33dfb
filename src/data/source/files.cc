// SPDX-License-Identifier: Apache-2.0
#include "data/source/files.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <filesystem>
#include <system_error>

namespace mycel::data {

namespace {

bool wanted(const std::filesystem::directory_entry& entry, EntryKind kind) {
  std::error_code ignored;
  switch (kind) {
    case EntryKind::File: return entry.is_regular_file(ignored);
    case EntryKind::Folder: return entry.is_directory(ignored);
    case EntryKind::Any: return true;
  }
  return false;
}

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }

template <class T>
bool parse_whole(std::string_view text, T& value) {
  if (text.starts_with('+')) text.remove_prefix(1);
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size();
}

template <class IsSeparator>
std::vector<std::string> split(std::string_view text, bool keep_empty, IsSeparator is_separator) {
  std::vector<std::string> parts;
  std::size_t begin = 0;
  for (std::size_t i = 0; i <= text.size(); ++i) {
    if (i < text.size() && !is_separator(text[i])) continue;
    if (keep_empty || i > begin) parts.emplace_back(text.substr(begin, i - begin));
    begin = i + 1;
  }
  return parts;
}

}  // namespace

std::vector<std::string> list_folder(const Path& folder, EntryKind kind) {
  std::vector<std::string> names;
  std::error_code error;
  std::filesystem::directory_iterator entry(folder, error);
  for (const std::filesystem::directory_iterator end; !error && entry != end;
       entry.increment(error))
    if (wanted(*entry, kind)) names.push_back(entry->path().filename().string());
  if (error)
    platform::fail(ErrorKind::Runtime,
                   "Invalid folder, failed to read the folder: ", folder.string(), ": ",
                   error.message());
  std::sort(names.begin(), names.end());
  return names;
}

std::string lower_case(std::string_view text) {
  std::string lower(text);
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return lower;
}

std::string lower_extension(std::string_view name) {
  const std::size_t slash = name.rfind('/');
  if (slash != std::string_view::npos) name.remove_prefix(slash + 1);
  const std::size_t dot = name.rfind('.');
  return dot == std::string_view::npos ? "" : lower_case(name.substr(dot));
}

platform::FileReader open_file(const Path& path) {
  auto file = platform::FileReader::open(path);
  if (!file)
    platform::fail(ErrorKind::Runtime, "Invalid file, failed to open file: ", path.string(), ": ",
                   file.error().message());
  return std::move(file).value();
}

std::string usage_of(const Parameters& parameters) {
  return parameters.has("usage") ? parameters.string("usage") : "all";
}

Tensor read_bytes(const Path& path) {
  platform::FileReader reader = open_file(path);
  Tensor bytes = Tensor::empty({static_cast<std::int64_t>(reader.size())}, DType::UInt8);
  const auto done = reader.read_exactly({static_cast<std::byte*>(bytes.raw()), bytes.bytes()});
  if (!done)
    platform::fail(ErrorKind::Runtime, "Invalid file, failed to read file: ", path.string(), ": ",
                   done.error().message());
  return bytes;
}

std::string read_text_file(const Path& path) {
  auto text = platform::read_text(path);
  if (!text)
    platform::fail(ErrorKind::Runtime, "Invalid file, failed to open file: ", path.string(), ": ",
                   text.error().message());
  return std::move(text).value();
}

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return text;
}

std::vector<std::string> split_blanks(std::string_view text) {
  return split(text, false, is_blank);
}

std::vector<std::string> split_at(std::string_view text, char separator) {
  return split(text, true, [separator](char c) { return c == separator; });
}

std::vector<std::string> split_lines(std::string_view text) {
  if (text.ends_with('\n')) text.remove_suffix(1);
  std::vector<std::string> lines = split_at(text, '\n');
  for (std::string& line : lines)
    if (line.ends_with('\r')) line.pop_back();
  return lines;
}

bool parse_number(std::string_view text, double& value) { return parse_whole(text, value); }
bool parse_number(std::string_view text, std::int64_t& value) { return parse_whole(text, value); }

void nothing_to_read(std::string_view dataset, std::string_view what, std::string_view path) {
  platform::fail(ErrorKind::Runtime, "Invalid data, ", dataset,
                 " API can't read the data file (interface mismatch or no data found). Check ",
                 what, ": ", path);
}

}  // namespace mycel::data
