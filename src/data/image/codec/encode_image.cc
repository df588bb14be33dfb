// SPDX-License-Identifier: Apache-2.0
#include "data/image/codec/encode_image.h"

#include <csetjmp>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#include <jpeglib.h>
#include <png.h>

#include "data/image/codec/decode_image.h"
#include "platform/error/error.h"

namespace mycel::data {

namespace {

using platform::fail;
using platform::require;

struct Source {
  Tensor pixels;
  ImageSize size;
  int channels = 1;
  std::uint8_t* row(std::int64_t y) const {
    return pixels.data<std::uint8_t>() + y * size.width * channels;
  }
};

Source source_of(const Item& image, std::string_view name) {
  require(image.is_array() && image.array().dtype() == DType::UInt8, ErrorKind::Runtime, name,
          ": The type of the image data should be UINT8, but got ", image.type_name(), ".");
  const Shape& shape = image.array().shape();
  require(shape.size() == 2 || shape.size() == 3, ErrorKind::Runtime, name,
          ": The image has invalid dimensions. It should have two or three dimensions, but got ",
          shape.size(), " dimensions.");
  const std::int64_t channels = shape.size() == 2 ? 1 : shape[2];
  require(channels == 1 || channels == 3, ErrorKind::Runtime, name,
          ": The image has invalid channels. It should have 1 or 3 channels, but got ", channels,
          " channels.");
  return {tensor::contiguous(image.array()), checked_size(shape[0], shape[1]),
          static_cast<int>(channels)};
}

struct JpegWriter {
  jpeg_compress_struct encoder{};
  jpeg_error_mgr errors{};
  std::jmp_buf escape{};
  char text[JMSG_LENGTH_MAX] = {};
  unsigned char* bytes = nullptr;
  unsigned long count = 0;

  ~JpegWriter() {
    jpeg_destroy_compress(&encoder);
    std::free(bytes);
  }
  [[noreturn]] static void on_error(j_common_ptr info) {
    auto& writer = *static_cast<JpegWriter*>(info->client_data);
    info->err->format_message(info, writer.text);
    std::longjmp(writer.escape, 1);
  }
  bool write(const Source& source, int quality) {
    encoder.err = jpeg_std_error(&errors);
    errors.error_exit = on_error;
    encoder.client_data = this;
    if (setjmp(escape) != 0) return false;
    jpeg_create_compress(&encoder);
    encoder.client_data = this;
    jpeg_mem_dest(&encoder, &bytes, &count);
    encoder.image_width = static_cast<JDIMENSION>(source.size.width);
    encoder.image_height = static_cast<JDIMENSION>(source.size.height);
    encoder.input_components = source.channels;
    encoder.in_color_space = source.channels == 1 ? JCS_GRAYSCALE : JCS_RGB;
    jpeg_set_defaults(&encoder);
    jpeg_set_quality(&encoder, quality, TRUE);
    jpeg_start_compress(&encoder, TRUE);
    while (encoder.next_scanline < encoder.image_height) {
      JSAMPROW row = source.row(encoder.next_scanline);
      jpeg_write_scanlines(&encoder, &row, 1);
    }
    jpeg_finish_compress(&encoder);
    return true;
  }
};

struct PngWriter {
  png_structp writer = nullptr;
  png_infop info = nullptr;
  std::string bytes;
  char text[160] = {};

  ~PngWriter() { png_destroy_write_struct(&writer, &info); }
  static void on_error(png_structp writer, png_const_charp message) {
    auto& self = *static_cast<PngWriter*>(png_get_error_ptr(writer));
    std::strncpy(self.text, message, sizeof(self.text) - 1);
    png_longjmp(writer, 1);
  }
  static void on_warning(png_structp, png_const_charp) {}
  static void on_write(png_structp writer, png_bytep data, std::size_t count) {
    static_cast<PngWriter*>(png_get_io_ptr(writer))
        ->bytes.append(reinterpret_cast<const char*>(data), count);
  }
  static void on_flush(png_structp) {}
  bool write(const Source& source, int level) {
    if (setjmp(png_jmpbuf(writer))) return false;
    png_set_write_fn(writer, this, on_write, on_flush);
    png_set_compression_level(writer, level);
    png_set_IHDR(writer, info, static_cast<png_uint_32>(source.size.width),
                 static_cast<png_uint_32>(source.size.height), 8,
                 source.channels == 1 ? PNG_COLOR_TYPE_GRAY : PNG_COLOR_TYPE_RGB,
                 PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
    png_write_info(writer, info);
    for (std::int64_t y = 0; y < source.size.height; ++y) png_write_row(writer, source.row(y));
    png_write_end(writer, info);
    return true;
  }
};

}  // namespace

Item encode_jpeg(const Item& image, int quality) {
  require(quality >= 1 && quality <= 100, ErrorKind::Runtime, "EncodeJpeg: Invalid quality ",
          quality, ", should be in range of [1, 100].");
  const Source source = source_of(image, "EncodeJpeg");
  JpegWriter writer;
  if (!writer.write(source, quality)) fail(ErrorKind::Runtime, "EncodeJpeg: ", writer.text);
  return byte_tensor({reinterpret_cast<const char*>(writer.bytes), writer.count});
}

Item encode_png(const Item& image, int compression_level) {
  require(compression_level >= 0 && compression_level <= 9, ErrorKind::Runtime,
          "EncodePng: Invalid compression_level ", compression_level,
          ", should be in range of [0, 9].");
  const Source source = source_of(image, "EncodePng");
  PngWriter writer;
  writer.writer = png_create_write_struct(PNG_LIBPNG_VER_STRING, &writer, PngWriter::on_error,
                                          PngWriter::on_warning);
  require(writer.writer != nullptr, ErrorKind::Memory, "EncodePng: the writer could not be made");
  writer.info = png_create_info_struct(writer.writer);
  if (writer.info == nullptr || !writer.write(source, compression_level))
    fail(ErrorKind::Runtime, "EncodePng: ", writer.text);
  return byte_tensor(writer.bytes);
}

}  // namespace mycel::data
