// SPDX-License-Identifier: Apache-2.0
#include "backend/cpu/codegen/code_cache.h"

#include <algorithm>
#include <cstring>
#include <vector>

#include <sys/stat.h>
#include <unistd.h>

#include "backend/cpu/codegen/kernel_text.h"
#include "platform/options/options.h"

namespace mycel::cpu::codegen {
namespace {

namespace fs = std::filesystem;

constexpr char kMagic[8] = {'m', 'y', 'c', 'e', 'l', 'o', 'b', '1'};
constexpr std::string_view kEnding = ".code";
constexpr std::uint64_t kLargestEntry = std::uint64_t{16} << 20;

struct Header {
  char magic[8];
  std::uint64_t target_bytes;
  std::uint64_t text_bytes;
  std::uint64_t object_bytes;
  std::uint64_t checksum;  // of target, text and object
};

// Code from a file that others could have written is not run.
bool is_ours_alone(const platform::Path& path) {
  struct stat facts {};
  return lstat(path.c_str(), &facts) == 0 && S_ISREG(facts.st_mode) && facts.st_uid == geteuid() &&
         (facts.st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

// A folder of ours that nobody else can write into.
bool prepare(const platform::Path& folder) {
  std::error_code failure;
  if (fs::create_directories(folder, failure)) {
    fs::permissions(folder, fs::perms::owner_all, failure);
  }
  struct stat facts {};
  return stat(folder.c_str(), &facts) == 0 && S_ISDIR(facts.st_mode) && facts.st_uid == geteuid() &&
         (facts.st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

}  // namespace

CodeCache::CodeCache(platform::Path folder, std::string target, std::uint64_t limit)
    : folder_(std::move(folder)), target_(std::move(target)), limit_(limit) {}

platform::Path CodeCache::path_of(std::string_view text) const {
  static constexpr char kDigits[] = "0123456789abcdef";
  std::string name(32, '0');
  std::uint64_t hash = content_hash(text);
  for (std::size_t i = 0; i < 16; ++i, hash >>= 4U) name[i] = kDigits[hash & 15U];
  hash = content_hash(target_);
  for (std::size_t i = 16; i < 32; ++i, hash >>= 4U) name[i] = kDigits[hash & 15U];
  return folder_ / (name + std::string(kEnding));
}

std::optional<std::string> CodeCache::find(std::string_view text) const {
  if (folder_.empty()) return std::nullopt;
  const platform::Path path = path_of(text);
  std::error_code failure;
  if (!is_ours_alone(path) || fs::file_size(path, failure) > kLargestEntry || failure)
    return std::nullopt;
  const platform::Result<std::string> read = platform::read_text(path);
  if (!read || read.value().size() < sizeof(Header)) return std::nullopt;
  Header header;
  std::memcpy(&header, read.value().data(), sizeof header);
  const std::string_view rest = std::string_view(read.value()).substr(sizeof header);
  if (std::memcmp(header.magic, kMagic, sizeof kMagic) != 0 ||
      header.target_bytes != target_.size() || header.text_bytes != text.size() ||
      header.object_bytes != rest.size() - std::min(rest.size(), target_.size() + text.size()) ||
      rest.size() < target_.size() + text.size() || header.checksum != content_hash(rest))
    return std::nullopt;
  if (rest.substr(0, target_.size()) != target_ || rest.substr(target_.size(), text.size()) != text)
    return std::nullopt;
  fs::last_write_time(path, fs::file_time_type::clock::now(), failure);  // used just now
  return std::string(rest.substr(target_.size() + text.size()));
}

void CodeCache::store(std::string_view text, std::string_view object) const {
  if (folder_.empty() || object.empty() || !prepare(folder_)) return;
  std::string body = target_;
  body.append(text).append(object);
  if (body.size() + sizeof(Header) > std::min(kLargestEntry, limit_)) return;
  Header header{};
  std::memcpy(header.magic, kMagic, sizeof kMagic);
  header.target_bytes = target_.size();
  header.text_bytes = text.size();
  header.object_bytes = object.size();
  header.checksum = content_hash(body);
  std::string entry(reinterpret_cast<const char*>(&header), sizeof header);
  entry += body;
  make_room(entry.size());
  // A folder that cannot be written is a cache that stays empty.
  static_cast<void>(platform::replace_file(path_of(text), platform::as_bytes(entry), 0600));
}

void CodeCache::make_room(std::uint64_t bytes) const {
  struct Entry {
    fs::file_time_type used;
    std::uint64_t size;
    platform::Path path;
  };
  std::vector<Entry> entries;
  std::uint64_t total = bytes;
  std::error_code failure;
  for (const fs::directory_entry& file : fs::directory_iterator(folder_, failure)) {
    if (file.path().extension() != kEnding || !file.is_regular_file(failure)) continue;
    Entry entry{file.last_write_time(failure), file.file_size(failure), file.path()};
    if (failure) continue;  // another process has just removed it
    total += entry.size;
    entries.push_back(std::move(entry));
  }
  if (total <= limit_) return;
  std::ranges::sort(entries, {}, &Entry::used);
  for (const Entry& entry : entries) {
    if (total <= limit_ - limit_ / 4) return;
    if (fs::remove(entry.path, failure)) total -= entry.size;
  }
}

platform::Path default_code_folder() {
  const std::string given = platform::setting("MYCEL_CODE_CACHE");
  if (given == "off") return {};
  if (!given.empty()) return given;
  const std::string caches = platform::setting("XDG_CACHE_HOME");
  if (!caches.empty() && caches.front() == '/') return platform::Path(caches) / "mycel" / "code";
  const std::string home = platform::setting("HOME");
  if (home.empty() || home.front() != '/') return {};
  return platform::Path(home) / ".cache" / "mycel" / "code";
}

}  // namespace mycel::cpu::codegen
