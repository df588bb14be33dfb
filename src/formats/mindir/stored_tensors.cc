// SPDX-License-Identifier: Apache-2.0
#include "formats/mindir/stored_tensors.h"

#include <algorithm>
#include <bit>

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

ModelBytes mapped_file(const std::string& path) {
  try {
    return ModelBytes::of_file(path);
  } catch (const platform::Error& error) {
    refuse("The file '", path, "' cannot be read: ", error.message());
  }
}

}  // namespace

void refuse_decryption(std::string_view reason) {
  refuse(kNotDecrypted, reason.empty() ? "" : " ", reason);
}

PlainFile::PlainFile(const std::string& path, const platform::CipherKey& key)
    : content_(mapped_file(path)) {
  if (!key.key.empty()) {
    content_ = ModelBytes::in_memory(decrypted(content_.bytes(), key));
    is_decrypted_ = true;
  } else if (platform::starts_with_piece(content_.bytes().substr(0, 4))) {
    refuse_decryption();
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

}  // namespace

Tensor TensorReader::tensor(const MessageView& message, const std::string& what) {
  const Shape shape = shape_of(message, what);
  const std::int64_t number = message.integer("data_type");
  const std::optional<DType> dtype = data_type(number);
  if (!dtype) refuse("The data type ", number, " of ", what, " is not supported.");
  if (message.integer("compression_type") != 0)
    refuse("The data of ", what, " is compressed, which is not supported.");
  const std::optional<std::size_t> possible = array_bytes(shape, *dtype);
  if (!possible) refuse("The data of ", what, " should have more bytes than there can be.");
  const std::size_t size = *possible;
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
    if (!taken_[&file].add(size, file.bytes().size()))
      refuse("The parameters take the bytes of the data file '", place.text("location"),
             "' again and again.");
  }
  Tensor target = Tensor::empty(shape, *dtype);
  if (size > 0) copy_data(message, target, what);
  return filter_ ? filter_(target) : target;
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
  if (target.dtype() == DType::Bool) clean_mask(target);
}

// The file of that name, which must lie in the folder of the MindIR file.
std::string TensorReader::checked_path(std::string_view location, const std::string& what) const {
  if (!folder_)
    refuse("The data of ", what, " is in the file '", location,
           "', but the model was read from memory; load it by its path instead.");
  DataFolder::Place place = DataFolder(*folder_).find(location);
  switch (place.problem) {
    case DataFolder::Problem::None: break;
    case DataFolder::Problem::NotAllowed:
      refuse("The file name '", location, "' of the data of ", what, " is not allowed.");
    case DataFolder::Problem::Outside:
      refuse("The data of ", what, " is in '", location,
             "', outside the folder of the MindIR file.");
    case DataFolder::Problem::Missing:
      refuse("The data file '", location, "' of ", what, " does not exist.");
  }
  return std::move(place.path);
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
