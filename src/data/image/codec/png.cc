// SPDX-License-Identifier: Apache-2.0
#include <cstring>
#include <string>
#include <vector>

#include <png.h>

#include "data/image/codec/decode_image.h"

namespace mycel::data {

namespace {

// As with JPEG, errors are jumps: no objects with destructors live in the functions that set one.
struct PngFile {
  png_structp reader = nullptr;
  png_infop info = nullptr;
  std::string_view rest;
  char text[160] = {};

  ~PngFile() { png_destroy_read_struct(&reader, &info, nullptr); }

  static void on_error(png_structp reader, png_const_charp message) {
    auto& file = *static_cast<PngFile*>(png_get_error_ptr(reader));
    std::strncpy(file.text, message, sizeof(file.text) - 1);
    png_longjmp(reader, 1);
  }
  static void on_warning(png_structp, png_const_charp) {}
  static void on_read(png_structp reader, png_bytep target, std::size_t count) {
    auto& file = *static_cast<PngFile*>(png_get_io_ptr(reader));
    if (count > file.rest.size()) png_error(reader, "The PNG file is cut off");
    std::memcpy(target, file.rest.data(), count);
    file.rest.remove_prefix(count);
  }

  bool read_header() {
    if (setjmp(png_jmpbuf(reader))) return false;
    png_set_read_fn(reader, this, on_read);
    png_set_user_limits(reader, PNG_UINT_31_MAX, PNG_UINT_31_MAX);
    png_set_chunk_malloc_max(reader, 64 << 20);
    png_read_info(reader, info);
    png_set_palette_to_rgb(reader);
    png_set_expand_gray_1_2_4_to_8(reader);
    png_set_strip_16(reader);
    png_set_strip_alpha(reader);
    png_set_gray_to_rgb(reader);
    png_set_interlace_handling(reader);
    png_read_update_info(reader, info);
    return true;
  }

  bool read_pixels(png_bytepp rows) {
    if (setjmp(png_jmpbuf(reader))) return false;
    png_read_image(reader, rows);
    return true;
  }
};

}  // namespace

Tensor decode_png(std::string_view bytes, const TransformContext& context) {
  PngFile file;
  file.rest = bytes;
  file.reader =
      png_create_read_struct(PNG_LIBPNG_VER_STRING, &file, PngFile::on_error, PngFile::on_warning);
  if (file.reader == nullptr) fail_decode("The PNG reader could not be made.");
  file.info = png_create_info_struct(file.reader);
  if (file.info == nullptr || !file.read_header()) fail_decode(std::string(file.text) + ".");
  const ImageSize size = checked_size(png_get_image_height(file.reader, file.info),
                                      png_get_image_width(file.reader, file.info));
  const std::size_t row_bytes = png_get_rowbytes(file.reader, file.info);
  if (row_bytes != 3 * static_cast<std::size_t>(size.width))
    fail_decode("The PNG file does not turn into three channels of eight bits.");
  Tensor pixels = context.output(DType::UInt8, {size.height, size.width, 3});
  std::vector<png_bytep> rows(size.height);
  for (std::size_t y = 0; y < rows.size(); ++y)
    rows[y] = pixels.data<std::uint8_t>() + y * row_bytes;
  if (!file.read_pixels(rows.data())) fail_decode(std::string(file.text) + ".");
  return pixels;
}

}  // namespace mycel::data
