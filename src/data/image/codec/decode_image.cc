// SPDX-License-Identifier: Apache-2.0
#include "data/image/codec/decode_image.h"

#include <string>

#include "platform/error/error.h"

namespace mycel::data {

using platform::fail;

void fail_decode(std::string_view reason) {
  fail(ErrorKind::Runtime, "Decode: image decode failed. ", reason);
}

ImageSize checked_size(std::int64_t height, std::int64_t width) {
  if (height <= 0 || width <= 0 || height > kMaxPixels / width) {
    fail_decode(platform::join("The file says it holds ", height, " x ", width,
                               " pixels; expected at least 1 x 1 and at most ", kMaxPixels,
                               " in all."));
  }
  return {height, width};
}

ImageFormat image_format(std::string_view bytes) {
  using namespace std::string_view_literals;
  if (bytes.starts_with("\xFF\xD8\xFF"sv)) return ImageFormat::Jpeg;
  if (bytes.starts_with("\x89PNG\r\n\x1A\n"sv)) return ImageFormat::Png;
  if (bytes.starts_with("BM"sv)) return ImageFormat::Bmp;
  if (bytes.starts_with("II\x2A\0"sv) || bytes.starts_with("MM\0\x2A"sv)) return ImageFormat::Tiff;
  if (bytes.starts_with("GIF87a"sv) || bytes.starts_with("GIF89a"sv)) return ImageFormat::Gif;
  if (bytes.size() >= 12 && bytes.starts_with("RIFF"sv) && bytes.substr(8, 4) == "WEBP"sv)
    return ImageFormat::Webp;
  return ImageFormat::Unknown;
}

Tensor decode_image(std::string_view bytes, const TransformContext& context) {
  switch (image_format(bytes)) {
    case ImageFormat::Jpeg: return decode_jpeg(bytes, context);
    case ImageFormat::Png: return decode_png(bytes, context);
    case ImageFormat::Bmp: return decode_bmp(bytes, context);
    case ImageFormat::Tiff: return decode_tiff(bytes, context);
    case ImageFormat::Webp: return decode_webp(bytes, context);
    case ImageFormat::Gif: return decode_gif(bytes, context);
    case ImageFormat::Unknown: break;
  }
  fail_decode(platform::join("The ", bytes.size(),
                             " bytes begin like no JPEG, PNG, BMP, TIFF, WebP or GIF file."));
}

}  // namespace mycel::data
