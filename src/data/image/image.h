// SPDX-License-Identifier: Apache-2.0
// What image transforms share: the view of an array as pictures, and the loop over pictures.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include <opencv2/core.hpp>

#include "data/image/codec/decode_image.h"
#include "data/transform/registry.h"
#include "platform/error/error.h"

namespace mycel::data {

using platform::fail;
using platform::require;

// An array seen as one picture, or several: <height, width>, <height, width, channels>, or more
// axes before these three.
struct Pictures {
  Tensor array;  // contiguous
  std::int64_t count = 1;
  ImageSize size;
  std::int64_t channels = 1;

  std::size_t pixel_bytes() const {
    return static_cast<std::size_t>(channels) * size_of(array.dtype());
  }
  // Shape of the same pictures with another size.
  Shape shape(const ImageSize& other) const;
  // Pixels as the library sees them; several axes of numbers the library has no type for are bytes.
  cv::Mat typed(std::int64_t index) const;
  cv::Mat bytes(std::int64_t index) const;
};

enum class PictureRank : std::uint8_t { Image, Video };

// The array of an item as pictures, or an error in the name of the transform.
Pictures pictures_of(const Item& item, std::string_view name, PictureRank rank);
const Tensor& numeric_array(const Item& item, std::string_view name);
// The bytes of a compressed picture: one axis of uint8 or int8, or a single byte string. An array
// with gaps is replaced by one without.
std::string_view encoded_bytes(Item& item, std::string_view name);

// Fails unless the number of channels is one of the three (0: no matter).
void require_channels(const Pictures& pictures, std::string_view name, int a, int b = 0, int c = 0);
// Fails with the list of types unless OpenCV can take the type.
void require_opencv_type(const Pictures& pictures, std::string_view name);
void require_type(const Pictures& pictures, std::string_view name, DType dtype);

// A new array of these pictures in another size; `draw(source, target)` fills one. Errors of the
// library become ours.
template <class Draw>
Tensor redraw(const Pictures& pictures, const ImageSize& size, const TransformContext& context,
              std::string_view name, Draw&& draw) {
  Pictures result = pictures;
  result.size = size;
  result.array = context.output(pictures.array.dtype(), pictures.shape(size));
  try {
    for (std::int64_t i = 0; i < pictures.count; ++i) {
      cv::Mat target = result.typed(i);
      const void* const place = target.data;
      draw(pictures.typed(i), target);
      require(target.data == place, ErrorKind::Internal, name, ": the result changed its place");
    }
  } catch (const cv::Exception& error) {
    fail(ErrorKind::Runtime, name, ": ", error.err);
  }
  return result.array;
}

// A rectangle of the pictures, copied.
Tensor crop(const Pictures& pictures, const Box& box, const TransformContext& context);
// Both ways of turning a picture round; neither is a copy.
Tensor flip(const Pictures& pictures, bool mirrored, bool upside_down,
            const TransformContext& context);

// The number of an interpolation mode, as `Inter` has it.
enum class Interpolation : std::uint8_t {
  Nearest = 0,
  Antialias = 1,  // of Pillow only
  Linear = 2,
  Cubic = 3,
  Area = 4,
  PillowCubic = 5,
};

Interpolation interpolation_of(const Parameters& parameters, std::string_view name);
int opencv_interpolation(Interpolation mode);

// A rectangle of the pictures in another size; the rectangle's surroundings have no influence.
Tensor resize(const Pictures& pictures, const Box& box, const ImageSize& size, Interpolation mode,
              const TransformContext& context, std::string_view name);
// Pillow's bicubic filter, which averages when it shrinks.
void resize_pillow_cubic(const PixelView& source, const ImageSize& size, std::uint8_t* target);

enum class Border : std::uint8_t { Constant = 0, Edge = 1, Reflect = 2, Symmetric = 3 };

// Left, top, right, bottom.
struct Margins {
  std::int64_t left = 0, top = 0, right = 0, bottom = 0;
};

Tensor pad(const Pictures& pictures, const Margins& margins, Border border, const Integers& fill,
           const TransformContext& context, std::string_view name);

}  // namespace mycel::data
