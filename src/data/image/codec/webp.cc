// SPDX-License-Identifier: Apache-2.0
#include <webp/decode.h>

#include "data/image/codec/decode_image.h"

namespace mycel::data {

Tensor decode_webp(std::string_view bytes, const TransformContext& context) {
  const auto* data = reinterpret_cast<const std::uint8_t*>(bytes.data());
  WebPBitstreamFeatures features;
  if (WebPGetFeatures(data, bytes.size(), &features) != VP8_STATUS_OK)
    fail_decode("The header of the WebP file is damaged.");
  if (features.has_animation) fail_decode("Animated WebP files are not supported.");
  const ImageSize size = checked_size(features.height, features.width);
  Tensor pixels = context.output(DType::UInt8, {size.height, size.width, 3});
  if (WebPDecodeRGBInto(data, bytes.size(), pixels.data<std::uint8_t>(), pixels.bytes(),
                        static_cast<int>(3 * size.width)) == nullptr)
    fail_decode("The WebP file is damaged or cut off.");
  return pixels;
}

}  // namespace mycel::data
