// SPDX-License-Identifier: Apache-2.0
#include "data/image/colours.h"

#include <opencv2/imgproc.hpp>

#include "data/image/picture_transform.h"

namespace mycel::data {

namespace {

cv::Mat grey_as_colours(const cv::Mat& source) {
  cv::Mat grey, colours;
  cv::cvtColor(source, grey, cv::COLOR_RGB2GRAY);
  cv::cvtColor(grey, colours, cv::COLOR_GRAY2RGB);
  return colours;
}

}  // namespace

void change_brightness(const cv::Mat& source, cv::Mat& target, double factor) {
  source.convertTo(target, -1, static_cast<float>(factor));
}

void change_contrast(const cv::Mat& source, cv::Mat& target, double factor) {
  cv::Mat grey;
  cv::cvtColor(source, grey, cv::COLOR_RGB2GRAY);
  const double mean = static_cast<int>(cv::mean(grey)[0] + 0.5);
  const auto share = static_cast<float>(factor);
  const cv::Mat grey_level(source.size(), source.type(), cv::Scalar::all(mean));
  cv::addWeighted(grey_level, 1.0f - share, source, share, 0.0, target);
}

void change_saturation(const cv::Mat& source, cv::Mat& target, double factor) {
  const auto share = static_cast<float>(factor);
  cv::addWeighted(grey_as_colours(source), 1.0f - share, source, share, 0.0, target);
}

void change_hue(const cv::Mat& source, cv::Mat& target, double turn) {
  cv::Mat hsv;
  cv::cvtColor(source, hsv, cv::COLOR_RGB2HSV_FULL);
  const int shift = static_cast<int>(turn * 255.0);
  for (int y = 0; y < hsv.rows; ++y) {
    auto* row = hsv.ptr<std::uint8_t>(y);
    for (int x = 0; x < hsv.cols; ++x) row[3 * x] = static_cast<std::uint8_t>(row[3 * x] + shift);
  }
  cv::cvtColor(hsv, target, cv::COLOR_HSV2RGB_FULL);
}

void change_sharpness(const cv::Mat& source, cv::Mat& target, double factor) {
  // The blur has a heavy middle and leaves the outermost pixels as they are.
  cv::Mat kernel = cv::Mat::ones(3, 3, CV_32F) / 13.0;
  kernel.at<float>(1, 1) = static_cast<float>(5.0 / 13.0);
  cv::Mat blurred;
  cv::filter2D(source, blurred, -1, kernel);
  cv::Mat smooth = source.clone();
  if (source.rows > 2 && source.cols > 2) {
    const cv::Rect inner(1, 1, source.cols - 2, source.rows - 2);
    blurred(inner).copyTo(smooth(inner));
  }
  const auto share = static_cast<float>(factor);
  cv::addWeighted(source, share, smooth, 1.0f - share, 0.0, target);
}

namespace {

using Change = void (*)(const cv::Mat&, cv::Mat&, double);

// Three channels of bytes, treated by one of the functions above.
Tensor changed(const Pictures& pictures, TransformContext& context, std::string_view name,
               Change change, double factor) {
  if (change != change_brightness && change != change_sharpness)
    require_channels(pictures, name, 3);
  if (change == change_hue) require_type(pictures, name, DType::UInt8);
  const DType dtype = pictures.array.dtype();
  require(dtype == DType::UInt8 || dtype == DType::UInt16 || dtype == DType::Float32,
          ErrorKind::Runtime, name,
          ": the data type of image tensor does not match the requirement of operator. Expecting "
          "tensor in type of (uint8, uint16, float32). But got type ",
          python_name(dtype), ".");
  return redraw(pictures, pictures.size, context, name,
                [&](const cv::Mat& source, cv::Mat& target) { change(source, target, factor); });
}

TransformPtr fixed_change(const char* name, const Parameters& parameters, const char* parameter,
                          Change change) {
  const double factor = parameters.real(parameter);
  return picture_transform(name, PictureRank::Image, false,
                           [=](const Pictures& pictures, TransformContext& context) {
                             return changed(pictures, context, name, change, factor);
                           });
}

ParameterSchema factor_parameter(const char* name, const char* what) {
  return {.name = name, .kind = ParameterKind::Real, .doc = what, .low = 0, .high = 16777216};
}

MYCEL_TRANSFORM(AdjustBrightness)
    .in("vision")
    .doc("Multiplies the values of the picture.")
    .parameter(factor_parameter("brightness_factor", "0 gives black, 1 the picture itself."))
    .input(InputLayout::Image)
    .sample({.arguments = {{"brightness_factor", 1.5}}, .shape = {7, 8, 3}})
    .make([](const Parameters& p) {
      return fixed_change("AdjustBrightness", p, "brightness_factor", change_brightness);
    });

MYCEL_TRANSFORM(AdjustContrast)
    .in("vision")
    .doc("Moves the values away from, or towards, the mean grey of the picture.")
    .parameter(factor_parameter("contrast_factor", "0 gives grey, 1 the picture itself."))
    .input(InputLayout::Image)
    .sample({.arguments = {{"contrast_factor", 1.5}}, .shape = {7, 8, 3}})
    .make([](const Parameters& p) {
      return fixed_change("AdjustContrast", p, "contrast_factor", change_contrast);
    });

MYCEL_TRANSFORM(AdjustSaturation)
    .in("vision")
    .doc("Moves the colours away from, or towards, the grey of each pixel.")
    .parameter(factor_parameter("saturation_factor", "0 gives grey, 1 the picture itself."))
    .input(InputLayout::Image)
    .sample({.arguments = {{"saturation_factor", 0.5}}, .shape = {7, 8, 3}})
    .make([](const Parameters& p) {
      return fixed_change("AdjustSaturation", p, "saturation_factor", change_saturation);
    });

MYCEL_TRANSFORM(AdjustSharpness)
    .in("vision")
    .doc("Moves the values away from, or towards, a blurred picture.")
    .parameter(factor_parameter("sharpness_factor", "0 gives the blurred picture, 1 the picture."))
    .input(InputLayout::Image)
    .sample({.arguments = {{"sharpness_factor", 2.0}}, .shape = {7, 8, 3}})
    .make([](const Parameters& p) {
      return fixed_change("AdjustSharpness", p, "sharpness_factor", change_sharpness);
    });

MYCEL_TRANSFORM(AdjustHue)
    .in("vision")
    .doc("Turns the circle of hues.")
    .parameter({.name = "hue_factor",
                .kind = ParameterKind::Real,
                .doc = "Share of a full turn.",
                .low = -0.5,
                .high = 0.5})
    .input(InputLayout::Image)
    .sample({.arguments = {{"hue_factor", 0.2}}, .shape = {7, 8, 3}})
    .make([](const Parameters& p) {
      return fixed_change("AdjustHue", p, "hue_factor", change_hue);
    });

// Up to four changes in random order, each by a factor from its range; a range of no effect draws
// nothing.
TransformPtr make_color_adjust(const Parameters& parameters) {
  struct Step {
    Change change;
    Reals range;
  };
  std::vector<Step> steps;
  const std::pair<const char*, Change> all[] = {{"brightness", change_brightness},
                                                {"contrast", change_contrast},
                                                {"saturation", change_saturation},
                                                {"hue", change_hue}};
  for (const auto& [name, change] : all) {
    const Reals range = parameters.reals(name);
    const double idle = change == change_hue ? 0.0 : 1.0;
    if (range[0] != idle || range[1] != idle) steps.push_back({change, range});
  }
  return picture_transform(
      "RandomColorAdjust", PictureRank::Image, true,
      [steps](const Pictures& pictures, TransformContext& context) {
        require_channels(pictures, "RandomColorAdjust", 3);
        std::vector<Step> order = steps;
        for (std::size_t i = order.size(); i > 1; --i)
          std::swap(order[i - 1], order[context.random.integer(0, static_cast<int>(i) - 1)]);
        TransformContext plain{context.random};
        Pictures current = pictures;
        for (std::size_t i = 0; i < order.size(); ++i) {
          const double factor = context.random.uniform(order[i].range[0], order[i].range[1]);
          current.array = changed(current, i + 1 == order.size() ? context : plain,
                                  "RandomColorAdjust", order[i].change, factor);
        }
        return current.array;
      });
}

ParameterSchema spread_parameter(const char* name, const char* what) {
  return {.name = name,
          .kind = ParameterKind::Spread,
          .doc = what,
          .fallback = Reals{1, 1},
          .low = 0,
          .high = 16777216};
}

MYCEL_TRANSFORM(RandomColorAdjust)
    .in("vision")
    .doc("Changes brightness, contrast, saturation and hue by random factors, in random order.")
    .parameter(spread_parameter("brightness", "v for a factor in [max(0, 1 - v), 1 + v], or both."))
    .parameter(spread_parameter("contrast", "v for a factor in [max(0, 1 - v), 1 + v], or both."))
    .parameter(spread_parameter("saturation", "v for a factor in [max(0, 1 - v), 1 + v], or both."))
    .parameter({.name = "hue",
                .kind = ParameterKind::HueSpread,
                .doc = "v for a share of a turn in [-v, v], or both ends.",
                .fallback = Reals{0, 0},
                .low = -0.5,
                .high = 0.5})
    .input(InputLayout::Image)
    .random()
    .sample({.arguments = {{"brightness", Reals{0.5, 1.5}}, {"hue", Reals{-0.1, 0.1}}},
             .shape = {7, 8, 3}})
    .make(make_color_adjust);

TransformPtr random_change(const char* name, const Parameters& parameters, Change change) {
  const Reals range = parameters.reals("degrees");
  return picture_transform(name, PictureRank::Image, true,
                           [=](const Pictures& pictures, TransformContext& context) {
                             const double factor = context.random.uniform(range[0], range[1]);
                             return changed(pictures, context, name, change, factor);
                           });
}

const ParameterSchema kDegrees{.name = "degrees",
                               .kind = ParameterKind::Interval,
                               .doc = "Smallest and largest factor; 1 is the picture itself.",
                               .fallback = Reals{0.1, 1.9},
                               .low = 0,
                               .high = 16777216};

MYCEL_TRANSFORM(RandomColor)
    .in("vision")
    .doc("Changes the saturation by a random factor.")
    .parameter(kDegrees)
    .input(InputLayout::Image)
    .random()
    .sample({.shape = {7, 8, 3}})
    .make([](const Parameters& p) { return random_change("RandomColor", p, change_saturation); });

MYCEL_TRANSFORM(RandomSharpness)
    .in("vision")
    .doc("Changes the sharpness by a random factor.")
    .parameter(kDegrees)
    .input(InputLayout::Image)
    .random()
    .sample({.shape = {7, 8, 3}})
    .make([](const Parameters& p) {
      return random_change("RandomSharpness", p, change_sharpness);
    });

}  // namespace

}  // namespace mycel::data
