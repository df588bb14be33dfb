// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdio>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include <tiffio.h>

#include "data/image/codec/decode_image.h"

namespace mycel::data {

namespace {

constexpr tmsize_t kMaxAllocation = tmsize_t{1} << 30;

// A file in memory, as the library wants to see one.
struct TiffBytes {
  std::string_view bytes;
  std::uint64_t position = 0;
  std::string message = {};

  static TiffBytes& of(thandle_t handle) { return *static_cast<TiffBytes*>(handle); }
  static tmsize_t read(thandle_t handle, void* target, tmsize_t count) {
    TiffBytes& self = of(handle);
    if (count < 0 || self.position >= self.bytes.size()) return 0;
    const std::size_t available = std::min<std::size_t>(count, self.bytes.size() - self.position);
    std::memcpy(target, self.bytes.data() + self.position, available);
    self.position += available;
    return static_cast<tmsize_t>(available);
  }
  static tmsize_t write(thandle_t, void*, tmsize_t) { return 0; }
  static toff_t seek(thandle_t handle, toff_t offset, int whence) {
    TiffBytes& self = of(handle);
    if (whence == SEEK_CUR) offset += self.position;
    if (whence == SEEK_END) offset += self.bytes.size();
    return self.position = offset;
  }
  static int close(thandle_t) { return 0; }
  static toff_t size(thandle_t handle) { return of(handle).bytes.size(); }
  static int map(thandle_t, void**, toff_t*) { return 0; }
  static void unmap(thandle_t, void*, toff_t) {}
  static int on_error(TIFF*, void* user, const char*, const char* format, va_list arguments) {
    char text[200];
    std::vsnprintf(text, sizeof(text), format, arguments);
    static_cast<TiffBytes*>(user)->message = text;
    return 1;
  }
  static int on_warning(TIFF*, void*, const char*, const char*, va_list) { return 1; }
};

using TiffPtr = std::unique_ptr<TIFF, void (*)(TIFF*)>;

TiffPtr open_tiff(TiffBytes& file) {
  std::unique_ptr<TIFFOpenOptions, void (*)(TIFFOpenOptions*)> options(TIFFOpenOptionsAlloc(),
                                                                       TIFFOpenOptionsFree);
  TIFFOpenOptionsSetMaxSingleMemAlloc(options.get(), kMaxAllocation);
  TIFFOpenOptionsSetErrorHandlerExtR(options.get(), TiffBytes::on_error, &file);
  TIFFOpenOptionsSetWarningHandlerExtR(options.get(), TiffBytes::on_warning, nullptr);
  return TiffPtr(TIFFClientOpenExt("picture", "rm", &file, TiffBytes::read, TiffBytes::write,
                                   TiffBytes::seek, TiffBytes::close, TiffBytes::size,
                                   TiffBytes::map, TiffBytes::unmap, options.get()),
                 TIFFClose);
}

}  // namespace

Tensor decode_tiff(std::string_view bytes, const TransformContext& context) {
  TiffBytes file{.bytes = bytes};
  const TiffPtr tiff = open_tiff(file);
  if (!tiff) fail_decode(file.message + ".");
  std::uint32_t width = 0, height = 0;
  TIFFGetField(tiff.get(), TIFFTAG_IMAGEWIDTH, &width);
  TIFFGetField(tiff.get(), TIFFTAG_IMAGELENGTH, &height);
  const ImageSize size = checked_size(height, width);
  std::vector<std::uint32_t> words(static_cast<std::size_t>(size.height) * size.width);
  // The last argument: stop at the first error instead of leaving holes.
  if (TIFFReadRGBAImageOriented(tiff.get(), width, height, words.data(), ORIENTATION_TOPLEFT, 1) ==
      0)
    fail_decode(file.message + ".");
  Tensor pixels = context.output(DType::UInt8, {size.height, size.width, 3});
  auto* target = pixels.data<std::uint8_t>();
  for (const std::uint32_t word : words) {
    *target++ = static_cast<std::uint8_t>(TIFFGetR(word));
    *target++ = static_cast<std::uint8_t>(TIFFGetG(word));
    *target++ = static_cast<std::uint8_t>(TIFFGetB(word));
  }
  return pixels;
}

}  // namespace mycel::data
