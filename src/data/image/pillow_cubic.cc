// SPDX-License-Identifier: Apache-2.0
// Pillow's resampling with its bicubic filter: a = -0.5, the support grows with the shrink factor,
// weights in fixed point of 22 bits, columns first, eight bits in between.
#include <algorithm>
#include <cmath>
#include <vector>

#include "data/image/image.h"

namespace mycel::data {

namespace {

constexpr int kFractionBits = 32 - 8 - 2;
constexpr double kSupport = 2.0;

double cubic_weight(double x) {
  constexpr double a = -0.5;
  x = std::abs(x);
  if (x < 1.0) return ((a + 2.0) * x - (a + 3.0)) * x * x + 1;
  if (x < 2.0) return (((x - 5) * x + 8) * x - 4) * a;
  return 0.0;
}

// For every result position: which inputs, and how much of each.
struct Weights {
  std::vector<std::int64_t> first;
  std::vector<std::int64_t> count;
  std::vector<std::int32_t> values;
  std::int64_t stride = 0;
};

Weights weights_of(std::int64_t from, std::int64_t to) {
  const double scale = static_cast<double>(from) / static_cast<double>(to);
  const double stretch = std::max(scale, 1.0);
  const double support = kSupport * stretch;
  Weights result;
  result.stride = static_cast<std::int64_t>(std::ceil(support)) * 2 + 1;
  result.first.resize(to);
  result.count.resize(to);
  result.values.resize(to * result.stride);
  std::vector<double> raw(result.stride);
  for (std::int64_t i = 0; i < to; ++i) {
    const double centre = (static_cast<double>(i) + 0.5) * scale;
    const auto begin = std::max<std::int64_t>(0, static_cast<std::int64_t>(centre - support + 0.5));
    const auto end =
        std::min<std::int64_t>(from, static_cast<std::int64_t>(centre + support + 0.5));
    double sum = 0.0;
    for (std::int64_t x = begin; x < end; ++x) {
      raw[x - begin] = cubic_weight((static_cast<double>(x) - centre + 0.5) * (1.0 / stretch));
      sum += raw[x - begin];
    }
    result.first[i] = begin;
    result.count[i] = end - begin;
    for (std::int64_t k = 0; k < end - begin; ++k) {
      const double value = (sum != 0.0 ? raw[k] / sum : raw[k]) * (1 << kFractionBits);
      result.values[i * result.stride + k] =
          static_cast<std::int32_t>(value < 0 ? value - 0.5 : value + 0.5);
    }
  }
  return result;
}

std::uint8_t clipped(std::int32_t sum) {
  return static_cast<std::uint8_t>(std::clamp(sum >> kFractionBits, 0, 255));
}

}  // namespace

void resize_pillow_cubic(const PixelView& source, const ImageSize& size, std::uint8_t* target) {
  constexpr std::int32_t kHalf = 1 << (kFractionBits - 1);
  const Weights across = weights_of(source.width, size.width);
  const Weights down = weights_of(source.height, size.height);
  const std::int64_t row_bytes = 3 * size.width;
  std::vector<std::uint8_t> narrow(row_bytes * source.height);
  for (std::int64_t y = 0; y < source.height; ++y) {
    for (std::int64_t x = 0; x < size.width; ++x) {
      const std::uint8_t* pixel = source.row(y) + 3 * across.first[x];
      const std::int32_t* weight = &across.values[x * across.stride];
      for (int c = 0; c < 3; ++c) {
        std::int32_t sum = kHalf;
        for (std::int64_t k = 0; k < across.count[x]; ++k) sum += pixel[3 * k + c] * weight[k];
        narrow[y * row_bytes + 3 * x + c] = clipped(sum);
      }
    }
  }
  for (std::int64_t y = 0; y < size.height; ++y) {
    const std::uint8_t* column = &narrow[down.first[y] * row_bytes];
    const std::int32_t* weight = &down.values[y * down.stride];
    for (std::int64_t i = 0; i < row_bytes; ++i) {
      std::int32_t sum = kHalf;
      for (std::int64_t k = 0; k < down.count[y]; ++k) sum += column[k * row_bytes + i] * weight[k];
      target[y * row_bytes + i] = clipped(sum);
    }
  }
}

}  // namespace mycel::data
