// SPDX-License-Identifier: Apache-2.0
#include "formats/checkpoint/checkpoint_file.h"

#include <cstring>
#include <utility>

#include "formats/checkpoint/layout.h"
#include "platform/error/error.h"
#include "platform/protobuf/message.h"

namespace mycel::formats {

using platform::ErrorKind;
using platform::join;
using platform::MessageReader;
using platform::MessageSource;
using platform::Wire;
using tensor::DType;

namespace {

constexpr std::size_t kMostDims = 64;
constexpr std::size_t kRecordsBetween = 8;  // up to 2 MiB are mapped for each

void read_dims(MessageReader& reader, Wire wire, std::vector<std::int64_t>& dims,
               const MessageSource& source) {
  if (wire == Wire::Varint) {
    dims.push_back(static_cast<std::int64_t>(reader.varint()));
    return;
  }
  MessageReader packed(reader.bytes(), source);
  while (!packed.at_end()) dims.push_back(static_cast<std::int64_t>(packed.varint()));
}

StoredArray read_array(std::string_view message, const MessageSource& source) {
  StoredArray array;
  platform::for_fields(message, source, [&](MessageReader& reader, std::uint32_t field, Wire wire) {
    if (field == kTensorDims && (wire == Wire::Varint || wire == Wire::Bytes)) {
      read_dims(reader, wire, array.dims, source);
      platform::require(array.dims.size() <= kMostDims, source.kind, source.mistake,
                        ": an array has more than ", kMostDims, " dimensions");
    } else if (field == kTensorType && wire == Wire::Bytes) {
      array.type = reader.bytes();
    } else if (field == kTensorContent && wire == Wire::Bytes) {
      array.slices = {reader.bytes()};
    } else {
      return false;
    }
    return true;
  });
  return array;
}

CheckpointEntry read_entry(std::string_view message, const MessageSource& source) {
  CheckpointEntry entry;
  platform::for_fields(message, source, [&](MessageReader& reader, std::uint32_t field, Wire wire) {
    if (wire != Wire::Bytes) return false;
    if (field == kValueTag) {
      entry.name = reader.bytes();
    } else if (field == kValueTensor) {
      entry.arrays = {read_array(reader.bytes(), source)};
    } else if (field == kValueMap) {
      entry.is_map = true;
      platform::for_fields(
          reader.bytes(), source, [&](MessageReader& map, std::uint32_t inner, Wire inner_wire) {
            if (inner != kMapTensor || inner_wire != Wire::Bytes) return false;
            platform::require(entry.arrays.size() < kMapArrays, source.kind, source.mistake,
                              ": a map parameter has more than ", kMapArrays, " arrays");
            entry.arrays.push_back(read_array(map.bytes(), source));
            return true;
          });
    } else {
      return false;
    }
    return true;
  });
  return entry;
}

// Adds a further slice of the same parameter.
bool join_slices(CheckpointEntry& entry, const CheckpointEntry& next, const MessageSource& source) {
  if (entry.name != next.name || entry.is_map != next.is_map ||
      entry.arrays.size() != next.arrays.size())
    return false;
  for (std::size_t i = 0; i < entry.arrays.size(); ++i) {
    StoredArray& array = entry.arrays[i];
    const StoredArray& more = next.arrays[i];
    // Each slice of a map parameter counts its own rows.
    if (entry.is_map && !array.dims.empty() && !more.dims.empty()) {
      const bool overflows = __builtin_add_overflow(array.dims[0], more.dims[0], &array.dims[0]);
      platform::require(!overflows, source.kind, source.mistake, ": the map parameter '",
                        entry.name, "' has too many rows");
    }
    array.slices.insert(array.slices.end(), more.slices.begin(), more.slices.end());
  }
  return true;
}

std::optional<DType> dtype_named(std::string_view type) {
  if (type == "Int4") return DType::Int8;  // two numbers in each byte
  for (int i = 0; i < tensor::kDTypeCount; ++i)
    if (tensor::name_of(static_cast<DType>(i)) == type) return static_cast<DType>(i);
  return std::nullopt;
}

// Whether arrays of this shape take so many bytes; false also for what no memory can hold.
bool is_size_of(const std::vector<std::int64_t>& dims, std::size_t element, std::size_t bytes) {
  std::size_t total = element;
  for (const std::int64_t dim : dims)
    if (dim < 0 || __builtin_mul_overflow(total, static_cast<std::size_t>(dim), &total))
      return false;
  return total == bytes;
}

}  // namespace

std::size_t StoredArray::bytes() const {
  std::size_t sum = 0;
  for (const std::string_view slice : slices) sum += slice.size();
  return sum;
}

CheckpointFile::CheckpointFile(const platform::Path& path, const platform::CipherKey& cipher)
    : path_(path.string()), file_(path), bytes_(file_.bytes()) {
  const bool is_encrypted = platform::starts_with_piece(bytes_);
  if (!cipher.key.empty()) {
    if (!is_encrypted) refuse("it is not encrypted, but a 'dec_key' was given");
    decrypt(cipher);
    read_decrypted_entries();
    return;
  }
  if (is_encrypted)
    refuse("it is encrypted; pass the 'dec_key' and the 'dec_mode' it was saved with");
  take_checksum();
  read_entries();
}

void CheckpointFile::refuse(std::string_view why) const {
  platform::fail(ErrorKind::Value, "Failed to read the checkpoint file '", path_,
                 "', it may be damaged or encrypted: ", why, ".");
}

namespace {
constexpr std::string_view kMistake =
    "it cannot be decrypted; pass the correct 'dec_key' and 'dec_mode', and check that the file "
    "is complete";
}

void CheckpointFile::decrypt(const platform::CipherKey& cipher) {
  for (std::string_view left = bytes_; !left.empty();) {
    const std::size_t length = platform::leading_piece_bytes(left);
    if (length == 0) refuse(kMistake);
    const std::optional<std::string> plain =
        platform::decrypt_piece(left.substr(0, length), cipher);
    if (!plain) refuse(kMistake);
    decrypted_ += *plain;
    left.remove_prefix(length);
  }
  bytes_ = decrypted_;
}

// Without a tag a wrong key goes unnoticed once in 256 times, and what comes out is noise.
void CheckpointFile::read_decrypted_entries() try {
  read_entries();
} catch (const platform::Error&) {
  refuse(kMistake);
}

void CheckpointFile::take_checksum() {
  constexpr std::size_t kTrailer = kChecksumMark.size() + kChecksumDigits;
  if (bytes_.size() < kTrailer) return;
  const std::string_view trailer = bytes_.substr(bytes_.size() - kTrailer);
  if (!trailer.starts_with(kChecksumMark)) return;
  std::uint64_t number = 0;
  for (const char digit : trailer.substr(kChecksumMark.size())) {
    if (number >> 32 != 0) refuse("its checksum has more than 32 bits");
    number = number << 8 | static_cast<unsigned char>(digit);
  }
  if (number >> 32 != 0) refuse("its checksum has more than 32 bits");
  checksum_ = static_cast<std::uint32_t>(number);
  bytes_.remove_suffix(kTrailer);
}

bool CheckpointFile::is_intact() const { return !checksum_ || file_.crc32(bytes_) == *checksum_; }

void CheckpointFile::copy(const StoredArray& array, char* target) const {
  for (const std::string_view slice : array.slices) {
    if (decrypted_.empty())
      file_.copy(slice, target);
    else if (!slice.empty())
      std::memcpy(target, slice.data(), slice.size());
    target += slice.size();
  }
}

void CheckpointFile::read_entries() {
  const std::string mistake = join("Failed to read the checkpoint file '", path_,
                                   "', it may be damaged or encrypted, and the content cannot be "
                                   "parsed");
  const MessageSource source{ErrorKind::Value, mistake};
  std::size_t records = 0;
  platform::for_fields(bytes_, source, [&](MessageReader& reader, std::uint32_t field, Wire wire) {
    if (field != kCheckpointValue || wire != Wire::Bytes) return false;
    CheckpointEntry entry = read_entry(reader.bytes(), source);
    if (entry.arrays.empty()) refuse(join("the entry '", entry.name, "' holds no value"));
    if (entry.is_map && entry.arrays.size() != kMapArrays)
      refuse(join("the map parameter '", entry.name, "' is not complete"));
    if (entries_.empty() || !join_slices(entries_.back(), entry, source))
      entries_.push_back(std::move(entry));
    // Each record touched pages, and the system maps more around them.
    if (++records % kRecordsBetween == 0) file_.forget();
    return true;
  });
  file_.forget();
}

const CheckpointEntry& CheckpointFile::entry(std::size_t number) const {
  platform::require(number < entries_.size(), platform::ErrorKind::Index,
                    "the checkpoint has no entry ", number);
  return entries_[number];
}

tensor::Tensor CheckpointFile::tensor_of(const CheckpointEntry& entry) const {
  const StoredArray& array = entry.arrays.front();
  const std::optional<DType> dtype = dtype_named(array.type);
  if (entry.is_map || !dtype)
    refuse(join("the entry '", entry.name, "' of type '", array.type, "' is not an array"));
  std::vector<std::int64_t> dims = array.dims;
  // Older writers gave scalars the single dimension 0.
  if (dims == std::vector<std::int64_t>{0} && array.bytes() > 0) dims.clear();
  if (!is_size_of(dims, tensor::size_of(*dtype), array.bytes()))
    refuse(join("the ", array.bytes(), " bytes of '", entry.name, "' do not fit its shape"));
  tensor::Shape shape;
  for (const std::int64_t dim : dims) shape.push_back(dim);
  tensor::Tensor result = tensor::Tensor::empty(shape, *dtype);
  if (result.size() == 0) return result;
  char* const target = static_cast<char*>(result.raw());
  copy(array, target);
  if (*dtype == DType::Bool)  // nothing but 0 and 1 is a truth value
    for (std::size_t i = 0; i < result.bytes(); ++i) target[i] = target[i] != 0 ? 1 : 0;
  return result;
}

}  // namespace mycel::formats
