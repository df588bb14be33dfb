// SPDX-License-Identifier: Apache-2.0
#include <bit>
#include <cstdint>
#include <string>

#include "data/image/codec/decode_image.h"

namespace mycel::data {

namespace {

constexpr std::uint32_t kPlain = 0;
constexpr std::uint32_t kBitFields = 3;

struct BmpHeader {
  ImageSize size;
  bool bottom_up = true;
  int bits = 0;
  std::uint32_t masks[3] = {};  // of 16 and 32 bits per pixel
  std::size_t palette_offset = 0;
  std::size_t palette_entry = 4;  // bytes
  std::size_t palette_count = 0;
  std::size_t pixel_offset = 0;
  std::size_t row_bytes = 0;
};

std::uint32_t little(std::string_view bytes, std::size_t offset, int count) {
  if (offset + count > bytes.size()) fail_decode("The BMP file ends inside its header.");
  std::uint32_t value = 0;
  for (int i = count - 1; i >= 0; --i)
    value = value << 8 | static_cast<std::uint8_t>(bytes[offset + i]);
  return value;
}

void read_masks(std::string_view bytes, std::uint32_t compression, BmpHeader& header) {
  static constexpr std::uint32_t kMasks16[] = {0x7C00, 0x03E0, 0x001F};
  static constexpr std::uint32_t kMasks32[] = {0xFF0000, 0x00FF00, 0x0000FF};
  for (int c = 0; c < 3; ++c) {
    header.masks[c] = compression == kBitFields ? little(bytes, 54 + 4 * c, 4)
                      : header.bits == 16       ? kMasks16[c]
                                                : kMasks32[c];
    if (header.masks[c] == 0) fail_decode("A colour mask of the BMP file is empty.");
  }
}

void read_palette(std::string_view bytes, std::size_t header_bytes, BmpHeader& header) {
  const std::size_t most = std::size_t{1} << header.bits;
  std::size_t count = header_bytes >= 36 ? little(bytes, 46, 4) : 0;
  if (count == 0 || count > most) count = most;
  header.palette_offset = 14 + header_bytes;
  header.palette_entry = header_bytes == 12 ? 3 : 4;
  header.palette_count = count;
  if (header.palette_offset + count * header.palette_entry > bytes.size())
    fail_decode("The BMP file ends inside its palette.");
}

BmpHeader read_header(std::string_view bytes) {
  BmpHeader header;
  header.pixel_offset = little(bytes, 10, 4);
  const std::size_t header_bytes = little(bytes, 14, 4);
  if (header_bytes != 12 && header_bytes < 40)
    fail_decode("The BMP file has a header of an unknown kind.");
  std::uint32_t compression = kPlain;
  if (header_bytes == 12) {
    header.size = checked_size(little(bytes, 20, 2), little(bytes, 18, 2));
    header.bits = static_cast<int>(little(bytes, 24, 2));
  } else {
    const auto width = static_cast<std::int32_t>(little(bytes, 18, 4));
    const auto height = static_cast<std::int32_t>(little(bytes, 22, 4));
    header.bottom_up = height > 0;
    header.size = checked_size(height < 0 ? -static_cast<std::int64_t>(height) : height, width);
    header.bits = static_cast<int>(little(bytes, 28, 2));
    compression = little(bytes, 30, 4);
  }
  const int bits = header.bits;
  if (bits != 1 && bits != 4 && bits != 8 && bits != 16 && bits != 24 && bits != 32)
    fail_decode(std::to_string(bits) + " bits per pixel are not a BMP format.");
  if (compression != kPlain && !(compression == kBitFields && (bits == 16 || bits == 32)))
    fail_decode("Compressed BMP files are not supported.");
  if (bits == 16 || bits == 32) read_masks(bytes, compression, header);
  if (bits <= 8) read_palette(bytes, header_bytes, header);
  header.row_bytes = (static_cast<std::size_t>(header.size.width) * bits + 31) / 32 * 4;
  if (header.pixel_offset > bytes.size() ||
      header.row_bytes > (bytes.size() - header.pixel_offset) / header.size.height)
    fail_decode("The BMP file is cut off.");
  return header;
}

std::uint8_t masked(std::uint32_t pixel, std::uint32_t mask) {
  const int shift = std::countr_zero(mask);
  const std::uint64_t most = mask >> shift;
  return static_cast<std::uint8_t>(((pixel & mask) >> shift) * std::uint64_t{255} / most);
}

void convert_row(std::string_view file, const BmpHeader& header, std::string_view row,
                 std::uint8_t* target) {
  for (std::int64_t x = 0; x < header.size.width; ++x, target += 3) {
    if (header.bits <= 8) {
      const std::size_t bit = static_cast<std::size_t>(x) * header.bits;
      const int shift = 8 - header.bits - static_cast<int>(bit % 8);
      const std::size_t entry =
          static_cast<std::uint8_t>(row[bit / 8]) >> shift & ((std::size_t{1} << header.bits) - 1);
      const std::size_t at = header.palette_offset + entry * header.palette_entry;
      for (int c = 0; c < 3; ++c)
        target[c] = entry < header.palette_count ? static_cast<std::uint8_t>(file[at + 2 - c]) : 0;
    } else if (header.bits == 24) {
      for (int c = 0; c < 3; ++c) target[c] = static_cast<std::uint8_t>(row[3 * x + 2 - c]);
    } else {
      const int bytes = header.bits / 8;
      const std::uint32_t pixel = little(row, static_cast<std::size_t>(x) * bytes, bytes);
      for (int c = 0; c < 3; ++c) target[c] = masked(pixel, header.masks[c]);
    }
  }
}

}  // namespace

Tensor decode_bmp(std::string_view bytes, const TransformContext& context) {
  const BmpHeader header = read_header(bytes);
  const auto [height, width] = header.size;
  Tensor pixels = context.output(DType::UInt8, {height, width, 3});
  for (std::int64_t y = 0; y < height; ++y) {
    const std::int64_t stored = header.bottom_up ? height - 1 - y : y;
    convert_row(bytes, header,
                bytes.substr(header.pixel_offset + stored * header.row_bytes, header.row_bytes),
                pixels.data<std::uint8_t>() + 3 * y * width);
  }
  return pixels;
}

}  // namespace mycel::data
