// SPDX-License-Identifier: Apache-2.0
#include "formats/mindir/stored_tensors.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <filesystem>
#include <limits>

#include "formats/mindir/types.h"
#include "platform/error/error.h"

namespace mycel::formats::mindir {

namespace {

using tensor::DType;
using tensor::Shape;
using tensor::Tensor;

constexpr std::string_view kNotDecrypted =
    "The file may be encrypted and decrypt failed, you can check whether the values of the "
    "arguments 'dec_key' and 'dec_mode' are the same as when exported MindIR file, or check the "
    "file integrity.";
constexpr std::size_t kFrontBytes = 64;  // of a data file; the first one tells the byte order

std::string decrypted(std::string_view content, const platform::CipherKey& key) {
  std::optional<std::string> plain;
  try {
    plain = platform::decrypt_pieces(content, key);
  } catch (const platform::Error& error) {  // the mode is unknown, or the key does not suit it
    refuse_decryption(error.message());
  }
  if (!plain) refuse_decryption();
  return std::move(*plain);
}

std::optional<FileContent> mapped_file(const std::string& path) {
  try {
    return FileContent(path);
  } catch (const platform::Error& error) {
    refuse("The file '", path, "' cannot be read: ", error.message());
  }
}

}  // namespace

void refuse_decryption(std::string_view reason) {
  refuse(kNotDecrypted, reason.empty() ? "" : " ", reason);
}

PlainFile::PlainFile(const std::string& path, const platform::CipherKey& key)
    : mapped_(mapped_file(path)) {
  if (!key.key.empty()) {
    plain_ = decrypted(mapped_->bytes(), key);
    mapped_.reset();
    is_decrypted_ = true;
  } else if (platform::starts_with_piece(mapped_->bytes().substr(0, 4))) {
    refuse_decryption();
  }
}

void PlainFile::copy(std::string_view part, char* target) const {
  if (mapped_) {
    mapped_->copy(part, target);
  } else if (!part.empty()) {
    std::memcpy(target, part.data(), part.size());
  }
}

namespace {

Shape shape_of(const MessageView& message, const std::string& what) {
  const std::vector<std::int64_t> dims = message.integers("dims");
  if (std::ranges::any_of(dims, [](std::int64_t length) { return length < 0; })) {
    std::string list;
    for (const std::int64_t length : dims) list += platform::join(list.empty() ? "" : ", ", length);
    refuse("The shape of ", what, " is [", list, "], which has negative lengths.");
  }
  return {dims.begin(), dims.end()};
}

// Bytes of the data; what cannot be so large is refused before memory is asked for.
std::size_t bytes_of(const Shape& shape, DType dtype, const std::string& what) {
  std::size_t bytes = tensor::size_of(dtype);
  for (const std::int64_t length : shape) {
    if (length != 0 && bytes > (std::size_t{1} << 62) / static_cast<std::size_t>(length))
      refuse("The data of ", what, " should have more bytes than there can be.");
    bytes *= static_cast<std::size_t>(length);
  }
  return std::ranges::find(shape, 0) == shape.end() ? bytes : 0;
}

}  // namespace

Tensor TensorReader::tensor(const MessageView& message, const std::string& what) {
  const Shape shape = shape_of(message, what);
  const std::int64_t number = message.integer("data_type");
  const std::optional<DType> dtype = data_type(number);
  if (!dtype) refuse("The data type ", number, " of ", what, " is not supported.");
  if (message.integer("compression_type") != 0)
    refuse("The data of ", what, " is compressed, which is not supported.");
  const std::size_t size = bytes_of(shape, *dtype, what);
  if (message.has("raw_data") && message.text("raw_data").size() != size)
    refuse("The data of ", what, " should have ", size, " bytes, but has ",
           message.text("raw_data").size(), ".");
  const MessageView place = message.message("external_data");
  if (!message.has("raw_data") && size > 0) {
    if (!message.has("external_data")) refuse("The data of ", what, " is missing.");
    const std::int64_t offset = place.integer("offset");
    const std::int64_t length = place.integer("length", static_cast<std::int64_t>(size));
    if (offset < 0 || length != static_cast<std::int64_t>(size))
      refuse("The data of ", what, " is said to be ", length, " bytes at ", offset,
             ", but should be ", size, " bytes.");
    const PlainFile& file = opened(checked_path(place.text("location"), what));
    if (static_cast<std::uint64_t>(offset) > file.bytes().size() ||
        file.bytes().size() - static_cast<std::size_t>(offset) < size)
      refuse("The data file '", place.text("location"), "' ends before the data of ", what, ".");
  }
  Tensor target = Tensor::empty(shape, *dtype);
  if (size > 0) copy_data(message, target, what);
  return target;
}

void TensorReader::copy_data(const MessageView& message, Tensor& target, const std::string& what) {
  auto* const bytes = static_cast<char*>(target.raw());
  if (message.has("raw_data")) {
    file_.copy(message.text("raw_data"), bytes);
  } else {
    const MessageView place = message.message("external_data");
    const PlainFile& file = opened(checked_path(place.text("location"), what));
    file.copy(
        file.bytes().substr(static_cast<std::size_t>(place.integer("offset")), target.bytes()),
        bytes);
  }
  if (target.dtype() == DType::Bool)
    std::transform(bytes, bytes + target.bytes(), bytes,
                   [](char byte) { return static_cast<char>(byte != 0); });
}

// The file of that name, which must lie in the folder of the MindIR file.
std::string TensorReader::checked_path(std::string_view location, const std::string& what) const {
  namespace fs = std::filesystem;
  if (!folder_)
    refuse("The data of ", what, " is in the file '", location,
           "', but the model was read from memory; load it by its path instead.");
  const fs::path name(location);
  if (location.empty() || location.find('\0') != std::string_view::npos || name.is_absolute())
    refuse("The file name '", location, "' of the data of ", what, " is not allowed.");
  std::error_code problem;
  const fs::path inside = fs::weakly_canonical(*folder_, problem);
  const fs::path path = fs::weakly_canonical(inside / name, problem);
  const auto [end, rest] = std::mismatch(inside.begin(), inside.end(), path.begin(), path.end());
  if (end != inside.end())
    refuse("The data of ", what, " is in '", location, "', outside the folder of the MindIR file.");
  if (!fs::is_regular_file(path, problem))
    refuse("The data file '", location, "' of ", what, " does not exist.");
  return path.string();
}

const PlainFile& TensorReader::opened(const std::string& path) {
  const auto known = others_.find(path);
  if (known != others_.end()) return known->second;
  const PlainFile& file = others_.emplace(path, PlainFile(path, key_)).first->second;
  if (file.bytes().size() < kFrontBytes) refuse("The data file '", path, "' is too short.");
  if ((file.bytes()[0] != 0) != (std::endian::native == std::endian::little))
    refuse("The data file '", path, "' has another byte order than this machine.");
  return file;
}

}  // namespace mycel::formats::mindir
