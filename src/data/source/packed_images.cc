// SPDX-License-Identifier: Apache-2.0
#include "data/source/packed_images.h"

#include <algorithm>
#include <cstring>

#include "data/source/files.h"

namespace mycel::data {

PackedFile::PackedFile(std::string path) : path_(std::move(path)), file_(open_file(path_)) {}

void PackedFile::read(std::uint64_t offset, void* target, std::size_t bytes) const {
  const auto done = file_.read_at(offset, {static_cast<std::byte*>(target), bytes});
  if (!done)
    platform::fail(ErrorKind::Runtime, "Invalid file, failed to read ", bytes, " bytes at offset ",
                   offset, " of file: ", path_, ": ", done.error().message());
}

void PackedImageColumn::add(std::shared_ptr<const PackedFile> file, std::uint64_t offset,
                            std::uint64_t step, std::int64_t pictures) {
  const std::int64_t begin = rows();
  if (pictures > 0) parts_.push_back({std::move(file), offset, step, begin, begin + pictures});
}

const PackedImageColumn::Part& PackedImageColumn::part_of(std::int64_t row) const {
  return *std::upper_bound(parts_.begin(), parts_.end(), row,
                           [](std::int64_t wanted, const Part& part) { return wanted < part.end; });
}

Item PackedImageColumn::item(std::int64_t row) const {
  const Part& part = part_of(row);
  const std::uint64_t offset =
      part.offset + static_cast<std::uint64_t>(row - part.begin) * part.step;
  Tensor picture = Tensor::empty({form_.height, form_.width, form_.channels}, DType::UInt8);
  const auto bytes = static_cast<std::size_t>(form_.bytes());
  auto* out = picture.data<std::uint8_t>();
  if (form_.channel_step == 1 && form_.column_step == form_.channels) {  // as it is stored
    part.file->read(offset, out, bytes);
    return picture;
  }
  std::string stored(bytes, '\0');
  part.file->read(offset, stored.data(), bytes);
  for (std::int64_t y = 0; y < form_.height; ++y)
    for (std::int64_t x = 0; x < form_.width; ++x)
      for (std::int64_t c = 0; c < form_.channels; ++c)
        *out++ = static_cast<std::uint8_t>(stored[static_cast<std::size_t>(
            y * form_.row_step + x * form_.column_step + c * form_.channel_step)]);
  return picture;
}

}  // namespace mycel::data
