// SPDX-License-Identifier: Apache-2.0
// Rotations and other linear maps of the plane.
#include <algorithm>
#include <cmath>
#include <numbers>

#include <opencv2/imgproc.hpp>

#include "data/image/picture_transform.h"

namespace mycel::data {

namespace {

Interpolation resample_of(const Parameters& parameters, std::string_view name) {
  Parameters renamed;
  renamed.set("interpolation", parameters.integer("resample"));
  const Interpolation mode = interpolation_of(renamed, name);
  require(mode != Interpolation::PillowCubic, ErrorKind::Runtime, name,
          ": Invalid InterpolationMode, check input value of enum.");
  return mode;
}

cv::Scalar colour_of(const Integers& fill) {
  return cv::Scalar(static_cast<double>(fill[0]), static_cast<double>(fill[1]),
                    static_cast<double>(fill[2]));
}

Tensor warped(const Pictures& pictures, const ImageSize& size, const cv::Mat& matrix,
              Interpolation mode, const Integers& fill, TransformContext& context,
              std::string_view name) {
  require_opencv_type(pictures, name);
  require(pictures.channels <= 4 || mode != Interpolation::Cubic, ErrorKind::Runtime, name,
          ": interpolation can not be CUBIC when image channel is greater than 4.");
  require(size.height > 0 && size.width > 0 && size.height <= kMaxPixels / size.width,
          ErrorKind::Runtime, name, ": the result would have ", size.height, " x ", size.width,
          " pixels.");
  return redraw(pictures, size, context, name, [&](const cv::Mat& source, cv::Mat& target) {
    cv::warpAffine(source, target, matrix, target.size(), opencv_interpolation(mode),
                   cv::BORDER_CONSTANT, colour_of(fill));
  });
}

struct Rotation {
  bool expand;
  Reals centre;  // x, y; empty: the middle
  Interpolation mode;
  Integers fill;

  Rotation(const Parameters& parameters, std::string_view name)
      : expand(parameters.flag("expand")),
        centre(parameters.has("center") ? parameters.reals("center") : Reals{}),
        mode(resample_of(parameters, name)),
        fill(parameters.integers("fill_value")) {}

  // The bounding box of the rotated rectangle, in single precision.
  static cv::Size2f bounds(const ImageSize& size, const cv::Point2f& middle, double degrees) {
    const cv::Size2f whole(static_cast<float>(size.width), static_cast<float>(size.height));
    return cv::RotatedRect(middle, whole, static_cast<float>(degrees)).boundingRect2f().size();
  }

  Tensor run(const Pictures& pictures, double degrees, TransformContext& context,
             std::string_view name) const {
    const ImageSize& size = pictures.size;
    cv::Point2f middle(static_cast<float>(size.width - 1) / 2.0f,
                       static_cast<float>(size.height - 1) / 2.0f);
    if (!centre.empty()) middle = {static_cast<float>(centre[0]), static_cast<float>(centre[1])};
    cv::Mat matrix = cv::getRotationMatrix2D(middle, degrees, 1.0);
    ImageSize target = size;
    if (expand) {
      const cv::Size2f box = bounds(size, middle, degrees);
      target = {std::lround(box.height), std::lround(box.width)};
      matrix.at<double>(0, 2) += box.width / 2.0 - static_cast<double>(size.width) / 2.0;
      matrix.at<double>(1, 2) += box.height / 2.0 - static_cast<double>(size.height) / 2.0;
    }
    return warped(pictures, target, matrix, mode, fill, context, name);
  }
};

TransformDefinition with_rotation_parameters(TransformDefinition definition,
                                             ParameterSchema degrees) {
  return definition.in("vision")
      .parameter(std::move(degrees))
      .parameter({.name = "resample",
                  .kind = ParameterKind::Interpolation,
                  .doc = "How pixels between pixels are computed.",
                  .fallback = std::int64_t{0}})
      .parameter({.name = "expand",
                  .kind = ParameterKind::Flag,
                  .doc = "Whether the result grows to hold the whole rotated picture.",
                  .fallback = false})
      .parameter({.name = "center",
                  .kind = ParameterKind::Reals,
                  .doc = "(x, y) of the point that stays; the middle if none is given.",
                  .fallback = Parameters::Value{}})
      .parameter({.name = "fill_value",
                  .kind = ParameterKind::Fill,
                  .doc = "Colour of what was outside the picture.",
                  .fallback = Integers{0, 0, 0},
                  .low = 0,
                  .high = 255})
      .input(InputLayout::Video);
}

[[maybe_unused]] const bool registered_rotate =
    with_rotation_parameters(
        TransformDefinition("Rotate"),
        {.name = "degrees", .kind = ParameterKind::Real, .doc = "Angle against the clock."})
        .doc("Rotates the picture.")
        .sample({.arguments = {{"degrees", 30.0}}, .shape = {9, 12, 3}})
        .sample({.arguments = {{"degrees", 30.0}, {"expand", true}, {"resample", std::int64_t{2}}},
                 .shape = {9, 12, 3}})
        .make([](const Parameters& parameters) {
          const Rotation rotation(parameters, "Rotate");
          const double degrees = parameters.real("degrees");
          return picture_transform("Rotate", PictureRank::Video, false,
                                   [=](const Pictures& pictures, TransformContext& context) {
                                     return rotation.run(pictures, degrees, context, "Rotate");
                                   });
        });

// Angles beyond a full turn stand for any angle.
Reals angle_range(Reals degrees) {
  if (degrees[1] - degrees[0] >= 360) return {-180, 180};
  if (degrees[0] == -degrees[1]) {
    const double spread = std::fmod(degrees[1], 360.0);
    return {-spread, spread};
  }
  return {std::fmod(degrees[0], 360.0), std::fmod(degrees[1], 360.0)};
}

[[maybe_unused]] const bool registered_random_rotation =
    with_rotation_parameters(TransformDefinition("RandomRotation"),
                             {.name = "degrees",
                              .kind = ParameterKind::Degrees,
                              .doc = "v for an angle in (-v, v), or both ends."})
        .doc("Rotates the picture by a random angle.")
        .random()
        .sample({.arguments = {{"degrees", Reals{-30.0, 40.0}}}, .shape = {9, 12, 3}})
        .make([](const Parameters& parameters) {
          const Rotation rotation(parameters, "RandomRotation");
          const Reals range = angle_range(parameters.reals("degrees"));
          return picture_transform(
              "RandomRotation", PictureRank::Video, true,
              [=](const Pictures& pictures, TransformContext& context) {
                const double degrees = context.random.uniform(range[0], range[1]);
                return rotation.run(pictures, degrees, context, "RandomRotation");
              });
        });

// Rotation, scale and shear around the middle, then a shift.
struct AffineMap {
  double degrees = 0;
  double shift_x = 0;  // pixels
  double shift_y = 0;
  double scale = 1;
  double shear_x = 0;  // degrees
  double shear_y = 0;

  cv::Mat matrix(const ImageSize& size) const {
    constexpr double kRadians = std::numbers::pi / 180.0;
    const double a = degrees * kRadians, x = shear_x * kRadians, y = shear_y * kRadians;
    const auto m00 = static_cast<float>(scale * std::cos(a - y) / std::cos(y));
    const auto m01 =
        static_cast<float>(scale * (-std::cos(a - y) * std::tan(x) / std::cos(y) - std::sin(a)));
    const auto m10 = static_cast<float>(scale * std::sin(a - y) / std::cos(y));
    const auto m11 =
        static_cast<float>(scale * (-std::sin(a - y) * std::tan(x) / std::cos(y) + std::cos(a)));
    const auto cx = static_cast<float>(size.width - 1) / 2.0f;
    const auto cy = static_cast<float>(size.height - 1) / 2.0f;
    cv::Mat result(2, 3, CV_32F);
    result.at<float>(0, 0) = m00;
    result.at<float>(0, 1) = m01;
    result.at<float>(1, 0) = m10;
    result.at<float>(1, 1) = m11;
    result.at<float>(0, 2) = (1 - m00) * cx - m01 * cy + static_cast<float>(shift_x);
    result.at<float>(1, 2) = (1 - m11) * cy - m10 * cx + static_cast<float>(shift_y);
    return result;
  }
};

MYCEL_TRANSFORM(Affine)
    .in("vision")
    .doc("Rotates with the clock, scales and shears the picture around its middle, and shifts it.")
    .parameter({.name = "degrees", .kind = ParameterKind::Real, .doc = "Angle with the clock."})
    .parameter({.name = "translate",
                .kind = ParameterKind::Reals,
                .doc = "Shift to the right and down, as shares of width and height.",
                .low = -1,
                .high = 1})
    .parameter({.name = "scale",
                .kind = ParameterKind::Real,
                .doc = "Factor of the size.",
                .low = 0,
                .low_is_open = true})
    .parameter({.name = "shear",
                .kind = ParameterKind::Reals,
                .doc = "One angle for x, or angles for x and y."})
    .parameter({.name = "resample",
                .kind = ParameterKind::Interpolation,
                .doc = "How pixels between pixels are computed.",
                .fallback = std::int64_t{0}})
    .parameter({.name = "fill_value",
                .kind = ParameterKind::Fill,
                .doc = "Colour of what was outside the picture.",
                .fallback = Integers{0, 0, 0},
                .low = 0,
                .high = 255})
    .input(InputLayout::Image)
    .sample({.arguments = {{"degrees", 15.0},
                           {"translate", Reals{0.1, 0.2}},
                           {"scale", 1.1},
                           {"shear", Reals{3.0, 4.0}}},
             .shape = {9, 12, 3}})
    .make([](const Parameters& parameters) {
      const Interpolation mode = resample_of(parameters, "Affine");
      const Integers fill = parameters.integers("fill_value");
      const Reals shift = parameters.reals("translate"), shear = parameters.reals("shear");
      AffineMap map{.degrees = parameters.real("degrees"),
                    .scale = parameters.real("scale"),
                    .shear_x = shear[0],
                    .shear_y = shear.size() > 1 ? shear[1] : 0.0};
      return picture_transform("Affine", PictureRank::Image, false,
                               [=](const Pictures& pictures, TransformContext& context) {
                                 AffineMap here = map;
                                 here.shift_x = shift[0] * static_cast<double>(pictures.size.width);
                                 here.shift_y =
                                     shift[1] * static_cast<double>(pictures.size.height);
                                 return warped(pictures, pictures.size, here.matrix(pictures.size),
                                               mode, fill, context, "Affine");
                               });
    });

// Missing ranges have no effect; the draws come in the order of the members.
struct AffineRanges {
  Reals degrees, shift, scale, shear;
  explicit AffineRanges(const Parameters& parameters)
      : degrees(parameters.reals("degrees")),
        shift(padded(parameters, "translate", {0, 0, 0, 0})),
        scale(padded(parameters, "scale", {1, 1})),
        shear(padded(parameters, "shear", {0, 0, 0, 0})) {}
  static Reals padded(const Parameters& parameters, const char* name, Reals neutral) {
    if (!parameters.has(name)) return neutral;
    const Reals given = parameters.reals(name);
    std::copy_n(given.begin(), std::min(given.size(), neutral.size()), neutral.begin());
    return neutral;
  }
  AffineMap draw(const ImageSize& size, RowRandom& random) const {
    AffineMap map;
    map.degrees = random.uniform(degrees[0], degrees[1]);
    map.shift_x = random.uniform(shift[0], shift[1]) * static_cast<double>(size.width);
    map.shift_y = random.uniform(shift[2], shift[3]) * static_cast<double>(size.height);
    map.scale = random.uniform(scale[0], scale[1]);
    map.shear_x = random.uniform(shear[0], shear[1]);
    map.shear_y = random.uniform(shear[2], shear[3]);
    return map;
  }
};

MYCEL_TRANSFORM(RandomAffine)
    .in("vision")
    .doc("Rotates, shifts, scales and shears the picture at random.")
    .parameter({.name = "degrees",
                .kind = ParameterKind::Degrees,
                .doc = "v for an angle in (-v, v), or both ends."})
    .parameter({.name = "translate",
                .kind = ParameterKind::Reals,
                .doc = "Range of the shift as shares: of the width, or of width and height.",
                .fallback = Parameters::Value{},
                .low = -1,
                .high = 1})
    .parameter({.name = "scale",
                .kind = ParameterKind::Reals,
                .doc = "Range of the factor of the size.",
                .fallback = Parameters::Value{},
                .low = 0})
    .parameter({.name = "shear",
                .kind = ParameterKind::ShearRange,
                .doc = "v for an angle in (-v, v), both ends, or both ends for x and for y.",
                .fallback = Parameters::Value{}})
    .parameter({.name = "resample",
                .kind = ParameterKind::Interpolation,
                .doc = "How pixels between pixels are computed.",
                .fallback = std::int64_t{0}})
    .parameter({.name = "fill_value",
                .kind = ParameterKind::Fill,
                .doc = "Colour of what was outside the picture.",
                .fallback = Integers{0, 0, 0},
                .low = 0,
                .high = 255})
    .input(InputLayout::Image)
    .random()
    .sample({.arguments = {{"degrees", Reals{-5.0, 15.0}}, {"scale", Reals{0.9, 1.1}}},
             .shape = {9, 12, 3}})
    .make([](const Parameters& parameters) {
      const AffineRanges ranges(parameters);
      const Interpolation mode = resample_of(parameters, "RandomAffine");
      const Integers fill = parameters.integers("fill_value");
      return picture_transform("RandomAffine", PictureRank::Image, true,
                               [=](const Pictures& pictures, TransformContext& context) {
                                 const AffineMap map = ranges.draw(pictures.size, context.random);
                                 return warped(pictures, pictures.size, map.matrix(pictures.size),
                                               mode, fill, context, "RandomAffine");
                               });
    });

}  // namespace

}  // namespace mycel::data
