// SPDX-License-Identifier: Apache-2.0
// The inner loops of a pass.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <vector>

#include <immintrin.h>

#include "data/image/pass.h"

namespace mycel::data {

RowWriter::RowWriter(const Tensor& result, const float* table, std::size_t table_channels,
                     bool is_planar, const ImageSize& size, std::int64_t channels, bool mirrored,
                     bool upside_down)
    : result_(result),
      table_(table),
      table_channels_(table_channels),
      is_planar_(is_planar),
      size_(size),
      channels_(channels),
      mirrored_(mirrored),
      upside_down_(upside_down) {}

void RowWriter::write(std::int64_t y, const std::uint8_t* pixels) const {
  const std::int64_t row = upside_down_ ? size_.height - 1 - y : y;
  if (table_ == nullptr) return write_bytes(row, pixels);
  if (is_planar_)
    return mirrored_ ? write_planes<true>(row, pixels) : write_planes<false>(row, pixels);
  return mirrored_ ? write_pixels<true>(row, pixels) : write_pixels<false>(row, pixels);
}

namespace {

// Eight pixels of three channels at a time; returns how many pixels are done.
template <bool mirrored>
std::int64_t write_colour_planes(const std::uint8_t* pixels, std::int64_t width,
                                 const float* const tables[3], float* const targets[3]) {
  // Which of the first sixteen bytes, and which of the last sixteen of the twenty-four.
  __m128i front[3], back[3];
  for (int c = 0; c < 3; ++c) {
    alignas(16) std::int8_t one[16], other[16];
    std::fill_n(one, 16, std::int8_t{-1});
    std::fill_n(other, 16, std::int8_t{-1});
    for (int k = 0; k < 8; ++k) {
      const int from = 3 * (mirrored ? 7 - k : k) + c;
      if (from < 16)
        one[k] = static_cast<std::int8_t>(from);
      else
        other[k] = static_cast<std::int8_t>(from - 8);
    }
    front[c] = _mm_load_si128(reinterpret_cast<const __m128i*>(one));
    back[c] = _mm_load_si128(reinterpret_cast<const __m128i*>(other));
  }
  std::int64_t x = 0;
  for (; x + 8 <= width; x += 8) {
    const __m128i first = _mm_loadu_si128(reinterpret_cast<const __m128i*>(pixels + 3 * x));
    const __m128i last = _mm_loadu_si128(reinterpret_cast<const __m128i*>(pixels + 3 * x + 8));
    const std::int64_t place = mirrored ? width - 8 - x : x;
    for (int c = 0; c < 3; ++c) {
      const __m128i bytes =
          _mm_or_si128(_mm_shuffle_epi8(first, front[c]), _mm_shuffle_epi8(last, back[c]));
      const __m256 values = _mm256_i32gather_ps(tables[c], _mm256_cvtepu8_epi32(bytes), 4);
      _mm256_storeu_ps(targets[c] + place, values);
    }
  }
  return x;
}

}  // namespace

template <bool mirrored>
void RowWriter::write_planes(std::int64_t y, const std::uint8_t* pixels) const {
  const std::int64_t width = size_.width, channels = channels_;
  std::int64_t begin = 0;
  if (channels == 3) {
    const float* tables[3];
    float* targets[3];
    for (int c = 0; c < 3; ++c) {
      tables[c] = table_ + (table_channels_ > 1 ? 256 * c : 0);
      targets[c] = result_.data<float>() + (c * size_.height + y) * width;
    }
    begin = write_colour_planes<mirrored>(pixels, width, tables, targets);
  }
  for (std::int64_t c = 0; c < channels; ++c) {
    const float* const table = table_ + (table_channels_ > 1 ? 256 * c : 0);
    float* const target = result_.data<float>() + (c * size_.height + y) * width;
    const std::uint8_t* const source = pixels + c;
    for (std::int64_t x = begin; x < width; ++x)
      target[mirrored ? width - 1 - x : x] = table[source[x * channels]];
  }
}

template <bool mirrored>
void RowWriter::write_pixels(std::int64_t y, const std::uint8_t* pixels) const {
  const std::int64_t width = size_.width, channels = channels_;
  float* const target = result_.data<float>() + y * width * channels;
  for (std::int64_t c = 0; c < channels; ++c) {
    const float* const table = table_ + (table_channels_ > 1 ? 256 * c : 0);
    for (std::int64_t x = 0; x < width; ++x)
      target[(mirrored ? width - 1 - x : x) * channels + c] = table[pixels[x * channels + c]];
  }
}

void RowWriter::write_bytes(std::int64_t y, const std::uint8_t* pixels) const {
  const std::int64_t width = size_.width, channels = channels_;
  auto* const target = result_.data<std::uint8_t>();
  if (!mirrored_ && !is_planar_) {
    std::memcpy(target + y * width * channels, pixels, width * channels);
    return;
  }
  for (std::int64_t x = 0; x < width; ++x) {
    const std::int64_t to = mirrored_ ? width - 1 - x : x;
    for (std::int64_t c = 0; c < channels; ++c) {
      const std::int64_t place =
          is_planar_ ? (c * size_.height + y) * width + to : (y * width + to) * channels + c;
      target[place] = pixels[x * channels + c];
    }
  }
}

namespace {

constexpr std::size_t kVector = 32;  // values blended at a time
constexpr int kWeightScale = 2048;   // OpenCV's weights have eleven bits

// One axis: which two inputs make a result, and their weights.
struct LinearAxis {
  std::vector<std::int32_t> first;
  std::vector<std::int16_t> weights;  // two per result
  std::vector<std::int16_t> spread;   // as vectors take them, for groups of four results
};

std::int16_t fixed_weight(float weight) {
  return static_cast<std::int16_t>(std::lrintf(weight * kWeightScale));
}

// The columns of OpenCV: beyond the borders the outermost pixel counts in full.
void fill_columns(LinearAxis& axis, std::int64_t from, std::int64_t to, std::int64_t begin,
                  std::int64_t count) {
  const double scale = 1.0 / (static_cast<double>(to) / static_cast<double>(from));
  axis.first.resize(count);
  axis.weights.resize(2 * count);
  for (std::int64_t i = 0; i < count; ++i) {
    auto position = static_cast<float>((static_cast<double>(begin + i) + 0.5) * scale - 0.5);
    auto index = static_cast<std::int32_t>(std::floor(position));
    position -= static_cast<float>(index);
    if (index < 0) index = 0, position = 0;
    if (index >= from - 1) index = static_cast<std::int32_t>(from - 1), position = 0;
    axis.first[i] = index;
    axis.weights[2 * i] = fixed_weight(1.0f - position);
    axis.weights[2 * i + 1] = fixed_weight(position);
  }
}

// The rows: the weights stay, the row numbers are clamped.
void fill_rows(LinearAxis& axis, std::int64_t from, std::int64_t to, std::int64_t begin,
               std::int64_t count) {
  const double scale = 1.0 / (static_cast<double>(to) / static_cast<double>(from));
  axis.first.resize(count);
  axis.weights.resize(2 * count);
  for (std::int64_t i = 0; i < count; ++i) {
    auto position = static_cast<float>((static_cast<double>(begin + i) + 0.5) * scale - 0.5);
    const auto index = static_cast<std::int32_t>(std::floor(position));
    position -= static_cast<float>(index);
    axis.first[i] = index;
    axis.weights[2 * i] = fixed_weight(1.0f - position);
    axis.weights[2 * i + 1] = fixed_weight(position);
  }
}

// Results in units of 1/128, which OpenCV multiplies by the rows' weights. The last pixel has no
// right neighbour: its own bytes are read twice.
template <int fixed_channels>
void widen_pixels(const std::uint8_t* row, const LinearAxis& axis, std::size_t begin,
                  std::int64_t last, int channels, std::int16_t* target) {
  const int count = fixed_channels > 0 ? fixed_channels : channels;
  for (std::size_t x = begin; x < axis.first.size(); ++x) {
    const std::uint8_t* const left = row + static_cast<std::int64_t>(axis.first[x]) * count;
    const std::uint8_t* const right = axis.first[x] < last ? left + count : left;
    const std::int32_t a = axis.weights[2 * x], b = axis.weights[2 * x + 1];
    for (int c = 0; c < count; ++c)
      target[x * count + c] = static_cast<std::int16_t>((left[c] * a + right[c] * b) >> 4);
  }
}

constexpr std::size_t kGroup = 4;  // pixels widened at a time

// The weights of a group: those of its first and third pixel, then of its second and fourth, each
// four times, once per channel and once for nothing.
void spread_weights(LinearAxis& axis) {
  const std::size_t groups = axis.first.size() / kGroup;
  axis.spread.resize(groups * kGroup * 8);
  static constexpr std::size_t kOrder[kGroup] = {0, 2, 1, 3};
  std::int16_t* target = axis.spread.data();
  for (std::size_t x = 0; x < groups * kGroup; x += kGroup)
    for (const std::size_t k : kOrder)
      for (int channel = 0; channel < 4; ++channel) {
        *target++ = axis.weights[2 * (x + k)];
        *target++ = axis.weights[2 * (x + k) + 1];
      }
}

// Six of the sixteen bytes from a pixel on are its own colours and its right neighbour's.
std::size_t widen_colours(const std::uint8_t* row, const LinearAxis& axis, std::int64_t width,
                          std::int16_t* target) {
  const __m256i pairs = _mm256_broadcastsi128_si256(
      _mm_setr_epi8(0, -1, 3, -1, 1, -1, 4, -1, 2, -1, 5, -1, -1, -1, -1, -1));
  const __m256i close = _mm256_broadcastsi128_si256(
      _mm_setr_epi8(0, 1, 2, 3, 4, 5, 8, 9, 10, 11, 12, 13, -1, -1, -1, -1));
  const auto bytes = [&](std::size_t x) {
    return _mm_loadu_si128(
        reinterpret_cast<const __m128i*>(row + 3 * static_cast<std::int64_t>(axis.first[x])));
  };
  const auto two = [&](std::size_t low, std::size_t high, const std::int16_t* weights) {
    const __m256i both =
        _mm256_inserti128_si256(_mm256_castsi128_si256(bytes(low)), bytes(high), 1);
    const __m256i weight = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(weights));
    return _mm256_srai_epi32(_mm256_madd_epi16(_mm256_shuffle_epi8(both, pairs), weight), 4);
  };
  std::size_t x = 0;
  const std::int16_t* weights = axis.spread.data();
  for (; x + kGroup <= axis.first.size() && 3 * axis.first[x + 3] + 16 <= 3 * width;
       x += kGroup, weights += 32) {
    const __m256i packed =
        _mm256_packs_epi32(two(x, x + 2, weights), two(x + 1, x + 3, weights + 16));
    const __m256i four = _mm256_shuffle_epi8(packed, close);
    _mm_storeu_si128(reinterpret_cast<__m128i*>(target + 3 * x), _mm256_castsi256_si128(four));
    _mm_storeu_si128(reinterpret_cast<__m128i*>(target + 3 * x + 6),
                     _mm256_extracti128_si256(four, 1));
  }
  return x;
}

void widen_row(const std::uint8_t* row, const LinearAxis& axis, std::int64_t width, int channels,
               std::int16_t* target) {
  if (channels == 3)
    return widen_pixels<3>(row, axis, widen_colours(row, axis, width, target), width - 1, 3,
                           target);
  if (channels == 1) return widen_pixels<1>(row, axis, 0, width - 1, 1, target);
  widen_pixels<0>(row, axis, 0, width - 1, channels, target);
}

// `count` is rounded up to whole vectors: the rows have room for that.
void blend_rows(const std::int16_t* upper, const std::int16_t* lower, std::int16_t a,
                std::int16_t b, std::size_t count, std::uint8_t* target) {
  const __m256i first = _mm256_set1_epi16(a), second = _mm256_set1_epi16(b);
  const __m256i half = _mm256_set1_epi16(2);
  const auto sixteen = [&](std::size_t i) {
    const auto* one = reinterpret_cast<const __m256i*>(upper + i);
    const auto* two = reinterpret_cast<const __m256i*>(lower + i);
    const __m256i sum = _mm256_add_epi16(_mm256_mulhi_epi16(_mm256_loadu_si256(one), first),
                                         _mm256_mulhi_epi16(_mm256_loadu_si256(two), second));
    return _mm256_srai_epi16(_mm256_add_epi16(sum, half), 2);
  };
  for (std::size_t i = 0; i < count; i += kVector) {
    const __m256i bytes = _mm256_packus_epi16(sixteen(i), sixteen(i + 16));
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(target + i),
                        _mm256_permute4x64_epi64(bytes, 0xD8));
  }
}

struct Scratch {
  LinearAxis columns, rows;
  std::vector<std::int16_t> wide[2];
  std::int64_t held[2] = {-1, -1};  // which source row each holds
  std::vector<std::uint8_t> bytes;
};

}  // namespace

void resize_linear_rows(const PixelView& source, const ImageSize& resized, const Box& target,
                        const RowWriter& writer) {
  static thread_local Scratch of_this_thread;
  Scratch& scratch = of_this_thread;  // looked up once
  const auto channels = static_cast<int>(source.channels);
  const std::size_t count = static_cast<std::size_t>(target.width) * channels;
  fill_columns(scratch.columns, source.width, resized.width, target.left, target.width);
  if (channels == 3) spread_weights(scratch.columns);
  fill_rows(scratch.rows, source.height, resized.height, target.top, target.height);
  for (int i = 0; i < 2; ++i) {
    scratch.wide[i].resize(count + kVector);
    scratch.held[i] = -1;
  }
  scratch.bytes.resize(count + kVector);
  // A row is widened once: two results mostly share one of their two source rows.
  const auto wide_row = [&](std::int64_t y, int busy) {
    for (int i = 0; i < 2; ++i)
      if (scratch.held[i] == y) return i;
    const int slot = busy == 0 ? 1 : busy == 1 ? 0 : (scratch.held[0] <= scratch.held[1] ? 0 : 1);
    widen_row(source.row(y), scratch.columns, source.width, channels, scratch.wide[slot].data());
    scratch.held[slot] = y;
    return slot;
  };
  for (std::int64_t y = 0; y < target.height; ++y) {
    const std::int64_t first = scratch.rows.first[y];
    const std::int64_t upper = std::clamp<std::int64_t>(first, 0, source.height - 1);
    const std::int64_t lower = std::clamp<std::int64_t>(first + 1, 0, source.height - 1);
    const int a = wide_row(upper, -1);
    const int b = wide_row(lower, a);
    blend_rows(scratch.wide[a].data(), scratch.wide[b].data(), scratch.rows.weights[2 * y],
               scratch.rows.weights[2 * y + 1], count, scratch.bytes.data());
    writer.write(y, scratch.bytes.data());
  }
}

}  // namespace mycel::data
