// SPDX-License-Identifier: Apache-2.0
#include <opencv2/imgproc.hpp>

#include "data/image/picture_transform.h"

namespace mycel::data {

namespace {

struct Conversion {
  int code;
  int from;  // channels
  int to;
};

// In the order of `ConvertMode`.
constexpr Conversion kConversions[] = {
    {cv::COLOR_BGR2BGRA, 3, 4},  {cv::COLOR_BGRA2BGR, 4, 3},  {cv::COLOR_BGR2RGBA, 3, 4},
    {cv::COLOR_RGBA2BGR, 4, 3},  {cv::COLOR_BGR2RGB, 3, 3},   {cv::COLOR_BGRA2RGBA, 4, 4},
    {cv::COLOR_BGR2GRAY, 3, 1},  {cv::COLOR_RGB2GRAY, 3, 1},  {cv::COLOR_GRAY2BGR, 1, 3},
    {cv::COLOR_GRAY2BGRA, 1, 4}, {cv::COLOR_BGRA2GRAY, 4, 1}, {cv::COLOR_RGBA2GRAY, 4, 1},
};

Tensor converted(const Pictures& pictures, const Conversion& conversion,
                 TransformContext& context) {
  require_channels(pictures, "ConvertColor", conversion.from);
  require_opencv_type(pictures, "ConvertColor");
  const auto [height, width] = pictures.size;
  Pictures result = pictures;
  result.channels = conversion.to;
  const Shape shape =
      conversion.to == 1 ? Shape{height, width} : Shape{height, width, conversion.to};
  result.array = context.output(pictures.array.dtype(), shape);
  try {
    cv::Mat target = result.typed(0);
    cv::cvtColor(pictures.typed(0), target, conversion.code);
  } catch (const cv::Exception& error) {
    fail(ErrorKind::Runtime, "ConvertColor: ", error.err);
  }
  return result.array;
}

MYCEL_TRANSFORM(ConvertColor)
    .in("vision")
    .doc("Changes the order or the number of the colour channels.")
    .parameter({.name = "convert_mode",
                .kind = ParameterKind::ColourConversion,
                .doc = "From what to what.",
                .low = 0,
                .high = 11})
    .input(InputLayout::Image)
    .sample({.arguments = {{"convert_mode", std::int64_t{7}}}, .shape = {5, 6, 3}})
    .sample({.arguments = {{"convert_mode", std::int64_t{0}}}, .shape = {5, 6, 3}})
    .sample({.arguments = {{"convert_mode", std::int64_t{8}}}, .shape = {5, 6}})
    .make([](const Parameters& parameters) {
      const Conversion conversion = kConversions[parameters.integer("convert_mode")];
      return picture_transform("ConvertColor", PictureRank::Image, false,
                               [=](const Pictures& pictures, TransformContext& context) {
                                 return converted(pictures, conversion, context);
                               });
    });

}  // namespace

}  // namespace mycel::data
