// SPDX-License-Identifier: Apache-2.0
#include "formats/file_content.h"

#include <algorithm>
#include <cstring>
#include <vector>

#include <sys/mman.h>

#include "platform/checksum/crc32.h"
#include "platform/thread/parallel_for.h"

namespace mycel::formats {
namespace {

constexpr std::size_t kSmallBytes = std::size_t{16} << 10;  // a call costs more than their pages
constexpr std::size_t kChunkBytes = std::size_t{4} << 20;

}  // namespace

FileContent::FileContent(const platform::Path& path)
    : mapped_(platform::MappedFile::open(path).value()),
      reader_(platform::FileReader::open(path).value()) {
  // Whoever looks for something needs little around it.
  if (!bytes().empty()) madvise(const_cast<char*>(bytes().data()), bytes().size(), MADV_RANDOM);
}

std::string_view FileContent::bytes() const {
  return {reinterpret_cast<const char*>(mapped_.bytes().data()), mapped_.bytes().size()};
}

void FileContent::forget() const {
  // Only a hint: what it does not do costs memory, nothing else.
  if (!bytes().empty()) madvise(const_cast<char*>(bytes().data()), bytes().size(), MADV_DONTNEED);
}

std::uint64_t FileContent::place_of(std::string_view part) const {
  return static_cast<std::uint64_t>(part.data() - bytes().data());
}

void FileContent::copy(std::string_view part, char* target) const {
  if (part.empty()) return;
  if (part.size() <= kSmallBytes) {
    std::memcpy(target, part.data(), part.size());
    check();
    return;
  }
  // Each thread reads a range of its own: the disk has more to do, and memory is new to both.
  const auto chunks = static_cast<std::int64_t>((part.size() + kChunkBytes - 1) / kChunkBytes);
  platform::parallel_for(chunks, kChunkBytes, [&](std::int64_t begin, std::int64_t end) {
    const std::size_t first = static_cast<std::size_t>(begin) * kChunkBytes;
    const std::string_view range =
        part.substr(first, static_cast<std::size_t>(end - begin) * kChunkBytes);
    auto* const place = reinterpret_cast<std::byte*>(target + first);
    reader_.read_at(place_of(range), std::span(place, range.size())).value();
  });
}

std::uint32_t FileContent::crc32(std::string_view part, std::uint32_t before) const {
  std::vector<char> chunk(std::min(part.size(), kChunkBytes));
  while (!part.empty()) {
    const std::string_view next = part.substr(0, chunk.size());
    copy(next, chunk.data());
    before = platform::crc32({chunk.data(), next.size()}, before);
    part.remove_prefix(next.size());
  }
  return before;
}

}  // namespace mycel::formats
