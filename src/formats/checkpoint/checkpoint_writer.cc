// SPDX-License-Identifier: Apache-2.0
#include "formats/checkpoint/checkpoint_writer.h"

#include <utility>

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

// The bytes of a record up to the content, which ends it.
std::string record_head(std::string_view name, std::string_view type,
                        std::span<const std::int64_t> dims, std::uint64_t content_bytes) {
  std::string tensor;
  MessageWriter tensor_writer(tensor);
  for (const std::int64_t dim : dims)
    tensor_writer.varint(kTensorDims, static_cast<std::uint64_t>(dim));
  tensor_writer.bytes(kTensorType, type);
  tensor_writer.bytes_head(kTensorContent, content_bytes);
  std::string value;
  MessageWriter value_writer(value);
  value_writer.bytes(kValueTag, name);
  value_writer.bytes_head(kValueTensor, tensor.size() + content_bytes);
  value += tensor;
  std::string head;
  MessageWriter(head).bytes_head(kCheckpointValue, value.size() + content_bytes);
  return head + value;
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
    put(record_head(name, type, dims, part.size()));
    put(part);
  } while (!content.empty());
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
