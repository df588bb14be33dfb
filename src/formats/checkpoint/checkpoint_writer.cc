// SPDX-License-Identifier: Apache-2.0
#include "formats/checkpoint/checkpoint_writer.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "formats/checkpoint/layout.h"
#include "platform/checksum/crc32.h"
#include "platform/error/error.h"
#include "platform/protobuf/message.h"

namespace mycel::formats {

using platform::ErrorKind;
using platform::MessageWriter;

namespace {

constexpr std::size_t kBufferBytes = std::size_t{1} << 20;
constexpr unsigned kOwnerReads = 0400;

// The bytes of an array's message up to the content, which ends it.
std::string array_head(std::string_view type, std::span<const std::int64_t> dims,
                       std::uint64_t content_bytes) {
  std::string head;
  MessageWriter writer(head);
  for (const std::int64_t dim : dims) writer.varint(kTensorDims, static_cast<std::uint64_t>(dim));
  writer.bytes(kTensorType, type);
  writer.bytes_head(kTensorContent, content_bytes);
  return head;
}

// The bytes of a record up to those of its value, a message of so many bytes that ends it.
std::string record_head(std::string_view name, std::uint32_t field, std::uint64_t value_bytes) {
  std::string value;
  MessageWriter writer(value);
  writer.bytes(kValueTag, name);
  writer.bytes_head(field, value_bytes);
  std::string head;
  MessageWriter(head).bytes_head(kCheckpointValue, value.size() + value_bytes);
  return head + value;
}

std::size_t row_bytes(const WrittenArray& array, std::int64_t rows) {
  return rows == 0 ? 0 : array.content.size() / static_cast<std::size_t>(rows);
}

// Some rows of an array.
WrittenArray rows_of(const WrittenArray& array, std::int64_t first, std::int64_t count) {
  const std::size_t row = row_bytes(array, array.dims[0]);
  WrittenArray part = array;
  part.dims[0] = count;
  part.content = array.content.substr(static_cast<std::size_t>(first) * row,
                                      static_cast<std::size_t>(count) * row);
  return part;
}

}  // namespace

CheckpointWriter::CheckpointWriter(const platform::Path& path, CheckpointOptions options)
    : options_([&] {
        if (!options.cipher.key.empty()) platform::check_cipher(options.cipher);
        platform::require(options.cipher.key.empty() || !options.has_checksum, ErrorKind::Value,
                          "a checkpoint can be encrypted or have a checksum, but not both");
        return std::move(options);
      }()),
      file_(platform::AtomicFile::create(path, kOwnerReads).value()) {}

void CheckpointWriter::add(std::string_view name, std::string_view type,
                           std::span<const std::int64_t> dims, std::string_view content) {
  do {
    const std::string_view part = content.substr(0, options_.record_bytes);
    content.remove_prefix(part.size());
    const std::string head = array_head(type, dims, part.size());
    put(record_head(name, kValueTensor, head.size() + part.size()));
    put(head);
    put(part);
  } while (!content.empty());
}

void CheckpointWriter::add_map(std::string_view name, std::span<const WrittenArray> arrays) {
  const bool is_map =
      arrays.size() == kMapArrays && std::ranges::all_of(arrays, [&](const auto& array) {
        return !array.dims.empty() && array.dims[0] == arrays[0].dims[0];
      });
  platform::require(is_map, ErrorKind::Value, "the map parameter '", name, "' must have ",
                    kMapArrays, " arrays with as many rows as each other");
  const std::int64_t rows = arrays[0].dims[0];
  std::size_t bytes = 0;
  for (const WrittenArray& array : arrays) bytes += row_bytes(array, rows);
  const auto most = static_cast<std::int64_t>(
      std::max<std::size_t>(1, options_.record_bytes / std::max<std::size_t>(1, bytes)));
  std::int64_t first = 0;
  do {
    const std::int64_t count = std::min(most, rows - first);
    add_map_rows(name, arrays, first, count);
    first += count;
  } while (first < rows);
}

void CheckpointWriter::add_map_rows(std::string_view name, std::span<const WrittenArray> arrays,
                                    std::int64_t first, std::int64_t count) {
  std::vector<WrittenArray> parts;
  std::vector<std::string> heads;
  std::uint64_t value_bytes = 0;
  for (const WrittenArray& array : arrays) {
    parts.push_back(rows_of(array, first, count));
    const std::size_t content = parts.back().content.size();
    const std::string message = array_head(array.type, parts.back().dims, content);
    std::string& head = heads.emplace_back();
    MessageWriter(head).bytes_head(kMapTensor, message.size() + content);
    head += message;
    value_bytes += head.size() + content;
  }
  put(record_head(name, kValueMap, value_bytes));
  for (std::size_t i = 0; i < parts.size(); ++i) {
    put(heads[i]);
    put(parts[i].content);
  }
}

void CheckpointWriter::put(std::string_view bytes) {
  if (options_.has_checksum) checksum_ = platform::crc32(bytes, checksum_);
  const bool is_encrypted = !options_.cipher.key.empty();
  const std::size_t room = is_encrypted ? platform::kCipherPieceBytes : kBufferBytes;
  while (!bytes.empty()) {
    if (!is_encrypted && pending_.empty() && bytes.size() >= room) {
      file_.write(platform::as_bytes(bytes)).value();
      return;
    }
    const std::string_view part = bytes.substr(0, room - pending_.size());
    pending_ += part;
    bytes.remove_prefix(part.size());
    if (pending_.size() == room) write_piece();
  }
}

void CheckpointWriter::write_piece() {
  if (pending_.empty()) return;
  if (!options_.cipher.key.empty()) pending_ = platform::encrypt_piece(pending_, options_.cipher);
  file_.write(platform::as_bytes(pending_)).value();
  pending_.clear();
}

void CheckpointWriter::commit() {
  write_piece();
  if (options_.has_checksum) {
    std::string trailer(kChecksumMark);
    for (int byte = kChecksumDigits - 1; byte >= 0; --byte)
      trailer.push_back(byte < 4 ? static_cast<char>(checksum_ >> (8 * byte)) : '\0');
    file_.write(platform::as_bytes(trailer)).value();
  }
  file_.commit().value();
}

}  // namespace mycel::formats
