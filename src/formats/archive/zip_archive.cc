// SPDX-License-Identifier: Apache-2.0
#include "formats/archive/zip_archive.h"

#include <algorithm>
#include <cstring>
#include <unordered_set>

#include <zlib.h>

#include "platform/error/error.h"

namespace mycel::formats {

using platform::ErrorKind;

namespace {

constexpr std::uint32_t kLocalMark = 0x04034b50;
constexpr std::uint32_t kCentralMark = 0x02014b50;
constexpr std::uint32_t kEndMark = 0x06054b50;
constexpr std::uint32_t kLongLocatorMark = 0x07064b50;
constexpr std::uint32_t kLongEndMark = 0x06064b50;
constexpr std::uint64_t kEndSize = 22, kLongLocatorSize = 20, kLocalSize = 30, kCentralSize = 46;
constexpr std::uint64_t kLongestComment = 65535;
constexpr std::uint16_t kLongField = 1;
constexpr std::uint64_t kSaturated = 0xffffffff;  // the number stands in a longer field
constexpr std::uint16_t kStored = 0, kDeflated = 8;
constexpr std::uint64_t kMostRatio = 1100;  // deflate cannot pack better than 1032 to 1
// Weights hardly get smaller, and entries may share their bytes: more than this is no data.
constexpr std::uint64_t kAlwaysUnpacked = std::uint64_t{1} << 20, kMostGrowth = 16;

template <class... Parts>
[[noreturn]] void refuse(const Parts&... parts) {
  platform::fail(ErrorKind::Value, "The zip file is damaged: ", parts..., ".");
}

}  // namespace

bool ZipArchive::is_one(std::string_view bytes) {
  return bytes.starts_with("PK\x03\x04") || bytes.starts_with("PK\x05\x06");
}

ZipArchive::ZipArchive(std::string_view bytes) : bytes_(bytes) {
  std::uint64_t count = 0;
  std::uint64_t offset = find_directory(count);
  if (count > bytes_.size() / kCentralSize) refuse("it says to have ", count, " entries");
  entries_.reserve(count);
  for (std::uint64_t i = 0; i < count; ++i) offset = read_entry(offset);
  std::unordered_set<std::string_view> names;
  for (const Entry& entry : entries_) {
    if (!names.insert(entry.name).second) refuse("two entries are called '", entry.name, "'");
  }
}

std::string_view ZipArchive::part(std::uint64_t offset, std::uint64_t size) const {
  if (offset > bytes_.size() || size > bytes_.size() - offset)
    refuse("it is cut short at byte ", bytes_.size());
  return bytes_.substr(offset, size);
}

std::uint64_t ZipArchive::number(std::uint64_t offset, int bytes) const {
  std::uint64_t value = 0;
  const std::string_view field = part(offset, static_cast<std::uint64_t>(bytes));
  std::memcpy(&value, field.data(), field.size());
  return value;
}

std::uint64_t ZipArchive::find_directory(std::uint64_t& count) const {
  if (bytes_.size() < kEndSize) refuse("it has no directory");
  const std::uint64_t last = bytes_.size() - kEndSize;
  const std::uint64_t first = last > kLongestComment ? last - kLongestComment : 0;
  for (std::uint64_t at = last + 1; at-- > first;) {
    if (number(at, 4) != kEndMark || at + kEndSize + number(at + 20, 2) != bytes_.size()) continue;
    count = number(at + 10, 2);
    const std::uint64_t offset = number(at + 16, 4);
    const bool is_long =
        at >= kLongLocatorSize && number(at - kLongLocatorSize, 4) == kLongLocatorMark;
    if (!is_long) return offset;
    const std::uint64_t end = number(at - kLongLocatorSize + 8, 8);
    if (end > bytes_.size() || number(end, 4) != kLongEndMark)
      refuse("its long directory is missing");
    count = number(end + 32, 8);
    return number(end + 48, 8);
  }
  refuse("it has no directory");
}

std::uint64_t ZipArchive::read_entry(std::uint64_t offset) {
  if (number(offset, 4) != kCentralMark) refuse("the directory is not where it should be");
  Entry entry;
  const std::uint64_t flags = number(offset + 8, 2);
  entry.method_ = static_cast<std::uint16_t>(number(offset + 10, 2));
  entry.checksum_ = static_cast<std::uint32_t>(number(offset + 16, 4));
  entry.packed_size_ = number(offset + 20, 4);
  entry.size = number(offset + 24, 4);
  const std::uint64_t name_size = number(offset + 28, 2);
  const std::uint64_t extra_size = number(offset + 30, 2);
  const std::uint64_t comment_size = number(offset + 32, 2);
  entry.header_offset_ = number(offset + 42, 4);
  entry.name = part(offset + kCentralSize, name_size);
  take_long_fields(entry, offset + kCentralSize + name_size, extra_size);
  if ((flags & 1) != 0) refuse("the entry '", entry.name, "' is encrypted");
  if (entry.method_ != kStored && entry.method_ != kDeflated)
    refuse("the entry '", entry.name, "' is packed in the unknown way ", entry.method_);
  entries_.push_back(entry);
  return offset + kCentralSize + name_size + extra_size + comment_size;
}

void ZipArchive::take_long_fields(Entry& entry, std::uint64_t offset, std::uint64_t size) const {
  part(offset, size);
  const std::uint64_t end = offset + size;
  while (offset + 4 <= end) {
    const std::uint64_t kind = number(offset, 2);
    const std::uint64_t length = number(offset + 2, 2);
    std::uint64_t at = offset + 4;
    offset = at + length;
    if (kind != kLongField || offset > end) continue;
    for (std::uint64_t* field : {&entry.size, &entry.packed_size_, &entry.header_offset_}) {
      if (*field != kSaturated) continue;
      if (at + 8 > offset) refuse("a size of '", entry.name, "' is missing");
      *field = number(at, 8);
      at += 8;
    }
  }
}

const ZipArchive::Entry* ZipArchive::find(std::string_view name) const {
  const auto found = std::find_if(entries_.begin(), entries_.end(),
                                  [&](const Entry& entry) { return entry.name == name; });
  return found == entries_.end() ? nullptr : &*found;
}

std::string_view ZipArchive::packed(const Entry& entry) const {
  const std::uint64_t at = entry.header_offset_;
  if (number(at, 4) != kLocalMark) refuse("the entry '", entry.name, "' is not where it should be");
  const std::uint64_t names = number(at + 26, 2);
  if (part(at + kLocalSize, names) != entry.name)
    refuse("the entry '", entry.name, "' has another name in its own header");
  return part(at + kLocalSize + names + number(at + 28, 2), entry.packed_size_);
}

std::string_view ZipArchive::view(const Entry& entry) const {
  if (entry.method_ != kStored) refuse("the entry '", entry.name, "' is packed");
  if (entry.packed_size_ != entry.size) refuse("the entry '", entry.name, "' has two sizes");
  return packed(entry);
}

std::string ZipArchive::read(const Entry& entry) const {
  std::string content;
  if (entry.method_ == kStored) {
    content = view(entry);
  } else {
    const std::string_view source = packed(entry);
    if (entry.size / kMostRatio > source.size())
      refuse("the entry '", entry.name, "' cannot have ", entry.size, " bytes");
    unpacked_ += entry.size;
    if (unpacked_ > kAlwaysUnpacked + kMostGrowth * bytes_.size())
      refuse("with '", entry.name, "' its entries are many times as large as the file");
    content.resize(entry.size);
    z_stream stream{};
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(source.data()));
    stream.avail_in = static_cast<uInt>(source.size());
    stream.next_out = reinterpret_cast<Bytef*>(content.data());
    stream.avail_out = static_cast<uInt>(content.size());
    if (source.size() >= kSaturated || content.size() >= kSaturated)
      refuse("the packed entry '", entry.name, "' has more than 4 GiB");
    const bool is_begun = inflateInit2(&stream, -MAX_WBITS) == Z_OK;
    const int status = is_begun ? inflate(&stream, Z_FINISH) : Z_STREAM_ERROR;
    inflateEnd(&stream);
    if (status != Z_STREAM_END || stream.total_out != content.size())
      refuse("the entry '", entry.name, "' cannot be unpacked");
  }
  const auto* data = reinterpret_cast<const Bytef*>(content.data());
  if (crc32_z(0, data, content.size()) != entry.checksum_)
    refuse("the content of '", entry.name, "' does not fit its checksum");
  return content;
}

}  // namespace mycel::formats
