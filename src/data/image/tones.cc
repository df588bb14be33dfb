// SPDX-License-Identifier: Apache-2.0
// Transforms of each value by itself, or by the histogram of its channel.
#include <algorithm>
#include <array>
#include <cmath>
#include <type_traits>

#include <opencv2/imgproc.hpp>

#include "data/image/parameters.h"
#include "data/image/picture_transform.h"

namespace mycel::data {

namespace {

using Table = std::array<std::uint8_t, 256>;

Tensor by_table(const Pictures& pictures, TransformContext& context, const Table& table) {
  Tensor result = context.output(DType::UInt8, pictures.array.shape());
  const auto* from = pictures.array.data<std::uint8_t>();
  std::transform(from, from + pictures.array.size(), result.data<std::uint8_t>(),
                 [&](std::uint8_t value) { return table[value]; });
  return result;
}

template <class Function>
Table table_of(Function function) {
  Table table{};
  for (int i = 0; i < 256; ++i) table[i] = static_cast<std::uint8_t>(function(i));
  return table;
}

Tensor inverted(const Pictures& pictures, TransformContext& context, std::string_view name) {
  require(pictures.array.rank() == 3, ErrorKind::Runtime, name,
          ": input tensor is not in shape of <H,W,C>, but got rank: ", pictures.array.rank());
  require_channels(pictures, name, 3);
  require_type(pictures, name, DType::UInt8);
  return by_table(pictures, context, table_of([](int i) { return 255 - i; }));
}

MYCEL_TRANSFORM(Invert)
    .in("vision")
    .doc("Takes 255 minus every value.")
    .input(InputLayout::Image)
    .sample({.shape = {5, 6, 3}})
    .make([](const Parameters&) {
      return picture_transform("Invert", PictureRank::Image, false,
                               [](const Pictures& pictures, TransformContext& context) {
                                 return inverted(pictures, context, "Invert");
                               });
    });

MYCEL_TRANSFORM(RandomInvert)
    .in("vision")
    .doc("Takes 255 minus every value with some probability.")
    .parameter(probability_parameter())
    .input(InputLayout::Image)
    .random()
    .sample({.shape = {5, 6, 3}})
    .make([](const Parameters& parameters) {
      return picture_transform_sometimes("RandomInvert", PictureRank::Image,
                                         parameters.real("prob"),
                                         [](const Pictures& pictures, TransformContext& context) {
                                           return inverted(pictures, context, "RandomInvert");
                                         });
    });

Tensor equalized(const Pictures& pictures, TransformContext& context, std::string_view name) {
  require_channels(pictures, name, 1, 3);
  require_type(pictures, name, DType::UInt8);
  return redraw(pictures, pictures.size, context, name, [](const cv::Mat& source, cv::Mat& target) {
    std::vector<cv::Mat> channels;
    cv::split(source, channels);
    for (cv::Mat& channel : channels) cv::equalizeHist(channel, channel);
    cv::merge(channels, target);
  });
}

MYCEL_TRANSFORM(Equalize)
    .in("vision")
    .doc("Spreads the histogram of every channel evenly.")
    .input(InputLayout::Image)
    .sample({.shape = {5, 6, 3}})
    .sample({.shape = {5, 6}})
    .make([](const Parameters&) {
      return picture_transform("Equalize", PictureRank::Image, false,
                               [](const Pictures& pictures, TransformContext& context) {
                                 return equalized(pictures, context, "Equalize");
                               });
    });

MYCEL_TRANSFORM(RandomEqualize)
    .in("vision")
    .doc("Spreads the histogram of every channel evenly with some probability.")
    .parameter(probability_parameter())
    .input(InputLayout::Image)
    .random()
    .sample({.shape = {5, 6, 3}})
    .make([](const Parameters& parameters) {
      return picture_transform_sometimes("RandomEqualize", PictureRank::Image,
                                         parameters.real("prob"),
                                         [](const Pictures& pictures, TransformContext& context) {
                                           return equalized(pictures, context, "RandomEqualize");
                                         });
    });

// The values between the first and the last that are left after cutting are stretched to 0..255.
Table contrast_table(std::array<std::int64_t, 256> histogram, double cutoff,
                     const Integers& ignored) {
  for (const std::int64_t value : ignored) histogram[value] = 0;
  std::int64_t count = 0;
  for (const std::int64_t bin : histogram) count += bin;
  const auto cut_from = [&](auto begin, auto end) {
    auto cut = static_cast<std::int64_t>(static_cast<double>(count) * cutoff / 100.0);
    for (auto bin = begin; bin != end && cut > 0; ++bin) {
      const std::int64_t part = std::min(cut, *bin);
      *bin -= part;
      cut -= part;
    }
  };
  cut_from(histogram.begin(), histogram.end());
  cut_from(histogram.rbegin(), histogram.rend());
  int low = 0, high = 255;
  while (low < 255 && histogram[low] == 0) ++low;
  while (high > 0 && histogram[high] == 0) --high;
  if (high <= low) return table_of([](int i) { return i; });
  const float scale = 255.0f / static_cast<float>(high - low);
  const float offset = static_cast<float>(-low) * scale;
  return table_of([=](int i) {
    // Rounded to single precision before the sum, so that no fused operation changes a level.
    const auto product = static_cast<float>(static_cast<double>(i) * scale);
    return std::clamp(static_cast<int>(product + offset), 0, 255);
  });
}

Tensor stretched(const Pictures& pictures, TransformContext& context, std::string_view name,
                 double cutoff, const Integers& ignored) {
  require_channels(pictures, name, 1, 3);
  require_type(pictures, name, DType::UInt8);
  Tensor result = context.output(DType::UInt8, pictures.array.shape());
  const auto* from = pictures.array.data<std::uint8_t>();
  auto* to = result.data<std::uint8_t>();
  const std::int64_t count = pictures.array.size(), step = pictures.channels;
  for (std::int64_t c = 0; c < step; ++c) {
    std::array<std::int64_t, 256> histogram{};
    for (std::int64_t i = c; i < count; i += step) ++histogram[from[i]];
    const Table table = contrast_table(histogram, cutoff, ignored);
    for (std::int64_t i = c; i < count; i += step) to[i] = table[from[i]];
  }
  return result;
}

TransformDefinition with_contrast_parameters(TransformDefinition definition) {
  return definition.in("vision")
      .doc("Stretches the values of every channel to the full range.")
      .parameter({.name = "cutoff",
                  .kind = ParameterKind::Real,
                  .doc = "Percent of the darkest and of the brightest pixels that do not count, "
                         "below 50.",
                  .fallback = 0.0,
                  .low = 0,
                  .high = 50})
      .parameter({.name = "ignore",
                  .kind = ParameterKind::Integers,
                  .doc = "Values that do not count.",
                  .fallback = Parameters::Value{},
                  .low = 0,
                  .high = 255})
      .input(InputLayout::Image);
}

PictureFunction contrast_function(const char* name, const Parameters& parameters) {
  const double cutoff = parameters.real("cutoff");
  const Integers ignored = parameters.has("ignore") ? parameters.integers("ignore") : Integers{};
  return [=](const Pictures& pictures, TransformContext& context) {
    return stretched(pictures, context, name, cutoff, ignored);
  };
}

[[maybe_unused]] const bool registered_contrast =
    with_contrast_parameters(TransformDefinition("AutoContrast"))
        .sample({.shape = {5, 6, 3}})
        .sample({.arguments = {{"cutoff", 10.0}, {"ignore", Integers{10, 20}}}, .shape = {5, 6}})
        .make([](const Parameters& parameters) {
          return picture_transform("AutoContrast", PictureRank::Image, false,
                                   contrast_function("AutoContrast", parameters));
        });

[[maybe_unused]] const bool registered_random_contrast =
    with_contrast_parameters(TransformDefinition("RandomAutoContrast"))
        .parameter(probability_parameter())
        .random()
        .sample({.shape = {5, 6, 3}})
        .make([](const Parameters& parameters) {
          return picture_transform_sometimes("RandomAutoContrast", PictureRank::Image,
                                             parameters.real("prob"),
                                             contrast_function("RandomAutoContrast", parameters));
        });

// One threshold: values from it on are inverted. Two: values between them.
Tensor solarized(const Pictures& pictures, TransformContext& context, std::string_view name,
                 double low, double high) {
  require_channels(pictures, name, 1, 3);
  require_type(pictures, name, DType::UInt8);
  return by_table(pictures, context, table_of([=](int i) {
                    return i >= low && (low == high || i <= high) ? 255 - i : i;
                  }));
}

MYCEL_TRANSFORM(Solarize)
    .in("vision")
    .doc("Inverts the values from a threshold on, or between two.")
    .parameter({.name = "threshold",
                .kind = ParameterKind::Threshold,
                .doc = "One threshold, or (low, high).",
                .low = 0,
                .high = 255})
    .input(InputLayout::Image)
    .sample({.arguments = {{"threshold", Reals{100, 200}}}, .shape = {5, 6, 3}})
    .make([](const Parameters& parameters) {
      const Reals range = parameters.reals("threshold");
      return picture_transform("Solarize", PictureRank::Image, false,
                               [range](const Pictures& pictures, TransformContext& context) {
                                 return solarized(pictures, context, "Solarize", range[0],
                                                  range[1]);
                               });
    });

MYCEL_TRANSFORM(RandomSolarize)
    .in("vision")
    .doc("Inverts the values between two random thresholds.")
    .parameter({.name = "threshold",
                .kind = ParameterKind::Integers,
                .doc = "Range of the thresholds.",
                .fallback = Integers{0, 255},
                .low = 0,
                .high = 255})
    .input(InputLayout::Image)
    .random()
    .sample({.shape = {5, 6, 3}})
    .make([](const Parameters& parameters) {
      const Integers range = parameters.integers("threshold");
      return picture_transform(
          "RandomSolarize", PictureRank::Image, true,
          [range](const Pictures& pictures, TransformContext& context) {
            const std::int64_t one = context.random.integer(range[0], range[1]);
            const std::int64_t two = context.random.integer(range[0], range[1]);
            return solarized(pictures, context, "RandomSolarize",
                             static_cast<double>(std::min(one, two)),
                             static_cast<double>(std::max(one, two)));
          });
    });

Tensor gamma_corrected(const Pictures& pictures, TransformContext& context, double gamma,
                       double gain) {
  require_channels(pictures, "AdjustGamma", 1, 3);
  if (pictures.array.dtype() == DType::UInt8) {
    return by_table(pictures, context, table_of([=](int i) {
                      const double value = std::pow(i / 255.0, gamma) * 255.999 * gain;
                      return static_cast<int>(std::floor(std::min(value, 255.0)));
                    }));
  }
  require(tensor::is_floating(pictures.array.dtype()), ErrorKind::Runtime,
          "AdjustGamma: the data type of image tensor does not match the requirement of operator. "
          "Expecting tensor in type of (uint8, float16, float32, float64). But got type ",
          python_name(pictures.array.dtype()), ".");
  Tensor result = context.output(pictures.array.dtype(), pictures.array.shape());
  tensor::with_float_type(pictures.array.dtype(), [&]<class T>() {
    const T* from = pictures.array.data<T>();
    T* to = result.data<T>();
    for (std::int64_t i = 0; i < result.size(); ++i) {
      const double value = std::pow(static_cast<double>(from[i]) * gain, gamma);
      to[i] = T(static_cast<std::conditional_t<sizeof(T) == 8, double, float>>(
          std::clamp(value, 0.0, 1.0)));
    }
  });
  return result;
}

MYCEL_TRANSFORM(AdjustGamma)
    .in("vision")
    .doc("Raises every value, as a share of the full range, to a power.")
    .parameter({.name = "gamma",
                .kind = ParameterKind::Real,
                .doc = "The power; more than 1 makes shadows darker.",
                .low = 0,
                .high = 16777216})
    .parameter({.name = "gain",
                .kind = ParameterKind::Real,
                .doc = "A factor.",
                .fallback = std::int64_t{1}})
    .input(InputLayout::Video)
    .sample({.arguments = {{"gamma", 2.0}}, .shape = {5, 6, 3}})
    .sample({.arguments = {{"gamma", 0.5}, {"gain", 0.001}},
             .dtype = DType::Float32,
             .shape = {5, 6}})
    .make([](const Parameters& parameters) {
      const double gamma = parameters.real("gamma"), gain = parameters.real("gain");
      return picture_transform("AdjustGamma", PictureRank::Video, false,
                               [=](const Pictures& pictures, TransformContext& context) {
                                 return gamma_corrected(pictures, context, gamma, gain);
                               });
    });

Tensor posterized(const Pictures& pictures, TransformContext& context, std::string_view name,
                  std::int64_t bits) {
  require(pictures.array.dtype() == DType::UInt8, ErrorKind::Runtime, name,
          ": data type of input image should be int8 or uint8, but got ",
          python_name(pictures.array.dtype()), ".");
  const int mask = static_cast<int>(0xFF00u >> bits) & 0xFF;
  return by_table(pictures, context, table_of([=](int i) { return i & mask; }));
}

MYCEL_TRANSFORM(Posterize)
    .in("vision")
    .doc("Keeps the highest bits of every value.")
    .parameter(
        {.name = "bits", .kind = ParameterKind::Integer, .doc = "How many.", .low = 0, .high = 8})
    .input(InputLayout::Image)
    .sample({.arguments = {{"bits", std::int64_t{3}}}, .shape = {5, 6, 3}})
    .make([](const Parameters& parameters) {
      const std::int64_t bits = parameters.integer("bits");
      return picture_transform("Posterize", PictureRank::Image, false,
                               [bits](const Pictures& pictures, TransformContext& context) {
                                 return posterized(pictures, context, "Posterize", bits);
                               });
    });

MYCEL_TRANSFORM(RandomPosterize)
    .in("vision")
    .doc("Keeps a random number of the highest bits of every value.")
    .parameter({.name = "bits",
                .kind = ParameterKind::IntegerRange,
                .doc = "One number, or the fewest and the most.",
                .fallback = Integers{8, 8},
                .low = 1,
                .high = 8})
    .input(InputLayout::Image)
    .random()
    .sample({.arguments = {{"bits", Integers{1, 8}}}, .shape = {5, 6, 3}})
    .make([](const Parameters& parameters) {
      const Integers bits = parameters.integers("bits");
      return picture_transform("RandomPosterize", PictureRank::Image, true,
                               [bits](const Pictures& pictures, TransformContext& context) {
                                 return posterized(pictures, context, "RandomPosterize",
                                                   context.random.integer(bits[0], bits[1]));
                               });
    });

}  // namespace

}  // namespace mycel::data
