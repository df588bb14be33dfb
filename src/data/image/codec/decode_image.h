// SPDX-License-Identifier: Apache-2.0
// Compressed pictures to pixels: always three channels of eight bits in the order red, green, blue.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "data/transform/transform.h"

namespace mycel::data {

struct ImageSize {
  std::int64_t height = 0;
  std::int64_t width = 0;
  bool operator==(const ImageSize&) const = default;
};

// A rectangle of pixels inside a picture.
struct Box {
  std::int64_t top = 0;
  std::int64_t left = 0;
  std::int64_t height = 0;
  std::int64_t width = 0;
};

// Rows of interleaved bytes that somebody else owns.
struct PixelView {
  const std::uint8_t* data = nullptr;
  std::int64_t row_bytes = 0;
  std::int64_t height = 0;
  std::int64_t width = 0;
  std::int64_t channels = 3;
  const std::uint8_t* row(std::int64_t y) const { return data + y * row_bytes; }
};

// A file of a few bytes can claim any size: more pixels than this are refused before memory is
// asked for.
constexpr std::int64_t kMaxPixels = 178'956'970;

// Fails with "image decode failed" and the reason.
[[noreturn]] void fail_decode(std::string_view reason);
ImageSize checked_size(std::int64_t height, std::int64_t width);

enum class ImageFormat : std::uint8_t { Unknown, Jpeg, Png, Bmp, Tiff, Webp, Gif };
ImageFormat image_format(std::string_view bytes);

// One decoder per format; each takes the target from `context` once it knows the size.
Tensor decode_jpeg(std::string_view bytes, const TransformContext& context);
Tensor decode_png(std::string_view bytes, const TransformContext& context);
Tensor decode_bmp(std::string_view bytes, const TransformContext& context);
Tensor decode_tiff(std::string_view bytes, const TransformContext& context);
Tensor decode_webp(std::string_view bytes, const TransformContext& context);
Tensor decode_gif(std::string_view bytes, const TransformContext& context);  // the first frame

// By the first bytes of the file.
Tensor decode_image(std::string_view bytes, const TransformContext& context);

}  // namespace mycel::data
