// SPDX-License-Identifier: Apache-2.0
#include "data/image/image.h"

#include <cstring>

#include <opencv2/imgproc.hpp>

namespace mycel::data {

namespace {

// Rows are many and small: the library's own threads would only get in the way of the pool's.
const bool threads_are_off = [] {
  cv::setNumThreads(0);
  return true;
}();

// Depth of the library for an element type; -1: it has none.
int opencv_depth(DType dtype) {
  switch (dtype) {
    case DType::Bool:
    case DType::UInt8: return CV_8U;
    case DType::Int8: return CV_8S;
    case DType::UInt16: return CV_16U;
    case DType::Int16: return CV_16S;
    case DType::Int32: return CV_32S;
    case DType::Float16: return CV_16F;
    case DType::Float32: return CV_32F;
    case DType::Float64: return CV_64F;
    default: return -1;
  }
}

cv::Mat mat_of(const Pictures& pictures, std::int64_t index, int type) {
  auto* data = static_cast<char*>(pictures.array.raw()) +
               static_cast<std::size_t>(index * pictures.size.height * pictures.size.width) *
                   pictures.pixel_bytes();
  return cv::Mat(static_cast<int>(pictures.size.height), static_cast<int>(pictures.size.width),
                 type, data);
}

int opencv_border(Border border) {
  switch (border) {
    case Border::Constant: return cv::BORDER_CONSTANT;
    case Border::Edge: return cv::BORDER_REPLICATE;
    case Border::Reflect: return cv::BORDER_REFLECT_101;
    case Border::Symmetric: return cv::BORDER_REFLECT;
  }
  return cv::BORDER_CONSTANT;
}

}  // namespace

Shape Pictures::shape(const ImageSize& other) const {
  Shape result = array.shape();
  const std::size_t height_axis = result.size() == 2 ? 0 : result.size() - 3;
  result[height_axis] = other.height;
  result[height_axis + 1] = other.width;
  return result;
}

cv::Mat Pictures::typed(std::int64_t index) const {
  const int depth = opencv_depth(array.dtype());
  if (depth < 0 || channels > CV_CN_MAX) return bytes(index);
  return mat_of(*this, index, CV_MAKETYPE(depth, static_cast<int>(channels)));
}

cv::Mat Pictures::bytes(std::int64_t index) const {
  require(pixel_bytes() <= CV_CN_MAX, ErrorKind::Runtime, "a pixel of ", pixel_bytes(),
          " bytes is too large; at most ", CV_CN_MAX, " are supported");
  return mat_of(*this, index, CV_8UC(static_cast<int>(pixel_bytes())));
}

const Tensor& numeric_array(const Item& item, std::string_view name) {
  require(item.is_array(), ErrorKind::Runtime, name,
          ": the data type of image tensor does not match the requirement of operator. Expecting "
          "tensor in type of (bool, int8, uint8, int16, uint16, int32, float16, float32, float64). "
          "But got type ",
          item.type_name(), ".");
  return item.array();
}

Pictures pictures_of(const Item& item, std::string_view name, PictureRank rank) {
  const Tensor& array = numeric_array(item, name);
  const std::int64_t axes = array.rank();
  require(axes >= 2, ErrorKind::Runtime, name,
          ": the image tensor should have at least two dimensions. You may need to perform Decode "
          "first.");
  require(axes <= 3 || rank == PictureRank::Video, ErrorKind::Runtime, name,
          ": the dimension of image tensor does not match the requirement of operator. Expecting "
          "tensor in dimension of (2, 3), in shape of <H, W> or <H, W, C>. But got dimension ",
          axes, ".");
  Pictures result;
  result.array = tensor::contiguous(array);
  const Shape& shape = array.shape();
  const std::size_t height_axis = axes == 2 ? 0 : axes - 3;
  result.size = {shape[height_axis], shape[height_axis + 1]};
  result.channels = axes == 2 ? 1 : shape[height_axis + 2];
  for (std::size_t i = 0; i < height_axis; ++i) result.count *= shape[i];
  require(array.size() > 0, ErrorKind::Runtime, name, ": the image tensor is empty, its shape is ",
          angled(shape), ".");
  constexpr std::int64_t kMost = INT32_MAX;
  require(result.size.height <= kMost && result.size.width <= kMost, ErrorKind::Runtime, name,
          ": the image is too large, its shape is ", angled(shape), ".");
  return result;
}

std::string_view encoded_bytes(Item& item, std::string_view name) {
  if (item.is_text() && item.text().values.size() == 1 && item.text().is_bytes) {
    const std::string_view bytes = item.text().values[0];
    require(!bytes.empty(), ErrorKind::Runtime, "Input Tensor has no data.");
    return bytes;
  }
  // Files of bytes are often written with the signed type.
  const auto is_byte = [](DType dtype) { return dtype == DType::UInt8 || dtype == DType::Int8; };
  require(item.is_array() && is_byte(item.array().dtype()) && item.array().rank() == 1,
          ErrorKind::Runtime, name,
          ": invalid input shape or type, only 1-D uint8 or int8 data of an encoded image is "
          "supported, got ",
          item.type_name(), " of shape ", angled(item.shape()), ".");
  require(item.array().size() > 0, ErrorKind::Runtime, "Input Tensor has no data.");
  if (!item.array().is_contiguous()) item = tensor::contiguous(item.array());
  const Tensor& array = item.array();
  return {static_cast<const char*>(array.raw()), static_cast<std::size_t>(array.size())};
}

void require_channels(const Pictures& pictures, std::string_view name, int a, int b, int c) {
  const std::int64_t got = pictures.channels;
  if (got == a || (b != 0 && got == b) || (c != 0 && got == c)) return;
  std::string expected = std::to_string(a);
  if (b != 0) expected += ", " + std::to_string(b);
  if (c != 0) expected += ", " + std::to_string(c);
  fail(ErrorKind::Runtime, name,
       ": the channel of image tensor does not match the requirement of operator. Expecting tensor "
       "in channel of (",
       expected, "). But got channel ", got, ".");
}

void require_opencv_type(const Pictures& pictures, std::string_view name) {
  require(opencv_depth(pictures.array.dtype()) >= 0, ErrorKind::Runtime, name,
          ": the data type of image tensor does not match the requirement of operator. Expecting "
          "tensor in type of (bool, int8, uint8, int16, uint16, int32, float16, float32, float64). "
          "But got type ",
          python_name(pictures.array.dtype()), ".");
}

void require_type(const Pictures& pictures, std::string_view name, DType dtype) {
  require(pictures.array.dtype() == dtype, ErrorKind::Runtime, name,
          ": the data type of image tensor does not match the requirement of operator. Expecting "
          "tensor in type of (",
          python_name(dtype), "). But got type ", python_name(pictures.array.dtype()), ".");
}

Tensor crop(const Pictures& pictures, const Box& box, const TransformContext& context) {
  Tensor result = context.output(pictures.array.dtype(), pictures.shape({box.height, box.width}));
  const std::size_t pixel = pictures.pixel_bytes();
  const std::size_t row = static_cast<std::size_t>(pictures.size.width) * pixel;
  const std::size_t part = static_cast<std::size_t>(box.width) * pixel;
  auto* target = static_cast<char*>(result.raw());
  for (std::int64_t i = 0; i < pictures.count; ++i) {
    const auto* source = static_cast<const char*>(pictures.array.raw()) +
                         (i * pictures.size.height + box.top) * row + box.left * pixel;
    for (std::int64_t y = 0; y < box.height; ++y, source += row, target += part)
      std::memcpy(target, source, part);
  }
  return result;
}

Tensor flip(const Pictures& pictures, bool mirrored, bool upside_down,
            const TransformContext& context) {
  Pictures result = pictures;
  result.array = context.output(pictures.array.dtype(), pictures.array.shape());
  const int code = mirrored && upside_down ? -1 : mirrored ? 1 : 0;
  for (std::int64_t i = 0; i < pictures.count; ++i) {
    cv::Mat target = result.bytes(i);
    cv::flip(pictures.bytes(i), target, code);
  }
  return result.array;
}

Interpolation interpolation_of(const Parameters& parameters, std::string_view name) {
  const std::int64_t number = parameters.integer("interpolation");
  require(number >= 0 && number <= 5 && number != static_cast<int>(Interpolation::Antialias),
          ErrorKind::Value, name, ": Invalid InterpolationMode, check input value of enum.");
  return static_cast<Interpolation>(number);
}

int opencv_interpolation(Interpolation mode) {
  switch (mode) {
    case Interpolation::Nearest: return cv::INTER_NEAREST;
    case Interpolation::Cubic: return cv::INTER_CUBIC;
    case Interpolation::Area: return cv::INTER_AREA;
    case Interpolation::Antialias:
    case Interpolation::PillowCubic:
    case Interpolation::Linear: break;
  }
  return cv::INTER_LINEAR;
}

Tensor resize(const Pictures& pictures, const Box& box, const ImageSize& size, Interpolation mode,
              const TransformContext& context, std::string_view name) {
  constexpr std::int64_t kMaxGrowth = 1000;
  require(size.height <= kMaxGrowth * box.height && size.width <= kMaxGrowth * box.width,
          ErrorKind::Runtime, name,
          ": the resizing width or height is too big, it's 1000 times bigger than the original "
          "image, got output height: ",
          size.height, ", width: ", size.width, ", and original image size:<", box.height, ", ",
          box.width, ">.");
  if (mode == Interpolation::PillowCubic) {
    require(pictures.channels == 3, ErrorKind::Runtime, name,
            ": Interpolation mode PILCUBIC only supports image with 3 channels, but got: ",
            angled(pictures.array.shape()));
    require_type(pictures, name, DType::UInt8);
  } else {
    require_opencv_type(pictures, name);
  }
  const cv::Rect part(static_cast<int>(box.left), static_cast<int>(box.top),
                      static_cast<int>(box.width), static_cast<int>(box.height));
  return redraw(pictures, size, context, name, [&](const cv::Mat& whole, cv::Mat& target) {
    const cv::Mat source = whole(part);
    if (mode != Interpolation::PillowCubic)
      return cv::resize(source, target, target.size(), 0, 0, opencv_interpolation(mode));
    resize_pillow_cubic(
        {source.data, static_cast<std::int64_t>(source.step), box.height, box.width}, size,
        target.data);
  });
}

Tensor pad(const Pictures& pictures, const Margins& margins, Border border, const Integers& fill,
           const TransformContext& context, std::string_view name) {
  require_channels(pictures, name, 1, 3);
  require_opencv_type(pictures, name);
  const ImageSize size{pictures.size.height + margins.top + margins.bottom,
                       pictures.size.width + margins.left + margins.right};
  require(size.height <= kMaxPixels / size.width, ErrorKind::Runtime, name,
          ": the padded image would have ", size.height, " x ", size.width, " pixels, more than ",
          kMaxPixels, ".");
  const cv::Scalar colour(static_cast<double>(fill[0]), static_cast<double>(fill[1]),
                          static_cast<double>(fill[2]));
  return redraw(pictures, size, context, name, [&](const cv::Mat& source, cv::Mat& target) {
    cv::copyMakeBorder(source, target, static_cast<int>(margins.top),
                       static_cast<int>(margins.bottom), static_cast<int>(margins.left),
                       static_cast<int>(margins.right), opencv_border(border), colour);
  });
}

}  // namespace mycel::data
