// SPDX-License-Identifier: Apache-2.0
// Window arithmetic that convolution and pooling share: pairs from attributes, padding modes,
// output sizes, channel order.
#pragma once

#include <algorithm>
#include <array>
#include <cctype>
#include <string>

#include "operator/contexts.h"

namespace mycel::ops {

using Pair = std::array<std::int64_t, 2>;  // height, width

// One or two ints; four are taken as (1, 1, height, width).
inline Pair pair_of(const op::AttributeReader& op, std::string_view name) {
  const op::IntList given = op.ints(name);
  op.require(given.size() == 1 || given.size() == 2 || given.size() == 4,
             platform::ErrorKind::Value, "'", name,
             "' must be an int or a tuple of two ints, but got ", given, ".");
  return {given.size() == 1 ? given[0] : given[given.size() - 2], given.back()};
}

inline Pair positive_pair_of(const op::AttributeReader& op, std::string_view name) {
  const Pair pair = pair_of(op, name);
  constexpr std::int64_t kLimit = std::int64_t{1} << 31;
  op.require(pair[0] > 0 && pair[1] > 0 && pair[0] < kLimit && pair[1] < kLimit,
             platform::ErrorKind::Value, "'", name, "' must be positive, but got ", op.ints(name),
             ".");
  return pair;
}

enum class PadMode : std::uint8_t { Same, Valid, Pad };

inline PadMode pad_mode_of(const op::AttributeReader& op) {
  std::string text = op.text("pad_mode");
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  op.require(text == "same" || text == "valid" || text == "pad", platform::ErrorKind::Value,
             "'pad_mode' must be 'same', 'valid' or 'pad', but got '", op.text("pad_mode"), "'.");
  return text == "same" ? PadMode::Same : text == "valid" ? PadMode::Valid : PadMode::Pad;
}

inline bool is_channels_last(const op::AttributeReader& op) {
  const std::string& format = op.text("data_format");
  op.require(format == "NCHW" || format == "NHWC", platform::ErrorKind::Value,
             "'data_format' must be 'NCHW' or 'NHWC', but got '", format, "'.");
  return format == "NHWC";
}

// Padding that makes the output ceil(size / stride) long; an odd cell goes after.
inline Pair same_padding(std::int64_t size, std::int64_t kernel, std::int64_t stride,
                         std::int64_t dilation) {
  const std::int64_t out = (size + stride - 1) / stride;
  const std::int64_t total =
      std::max<std::int64_t>(0, (out - 1) * stride + dilation * (kernel - 1) + 1 - size);
  return {total / 2, total - total / 2};
}

// (top, bottom, left, right) of a padding mode; `given` is used by "pad" alone.
inline op::IntList resolved_padding(PadMode mode, const op::IntList& given, const Pair& size,
                                    const Pair& kernel, const Pair& stride, const Pair& dilation) {
  if (mode == PadMode::Valid) return {0, 0, 0, 0};
  if (mode == PadMode::Pad) return given;
  const Pair rows = same_padding(size[0], kernel[0], stride[0], dilation[0]);
  const Pair columns = same_padding(size[1], kernel[1], stride[1], dilation[1]);
  return {rows[0], rows[1], columns[0], columns[1]};
}

enum class Rounding : std::uint8_t { Down, Up };

// Number of windows along one axis; at most zero when the kernel does not fit.
inline std::int64_t window_count(std::int64_t size, std::int64_t before, std::int64_t after,
                                 std::int64_t kernel, std::int64_t stride, std::int64_t dilation,
                                 Rounding rounding = Rounding::Down) {
  const std::int64_t room = size + before + after - (dilation * (kernel - 1) + 1);
  if (room < 0) return 0;
  if (rounding == Rounding::Down) return room / stride + 1;
  const std::int64_t count = (room + stride - 1) / stride + 1;
  return (count - 1) * stride >= size + before ? count - 1 : count;  // starts in the padding after
}

template <class Context>
op::Value channels_first(Context& op, const op::Value& value) {
  return op.call("transpose", {value}, {{"perm", op::IntList{0, 3, 1, 2}}});
}
template <class Context>
op::Value channels_last(Context& op, const op::Value& value) {
  return op.call("transpose", {value}, {{"perm", op::IntList{0, 2, 3, 1}}});
}

inline op::IntList to_list(const Pair& pair) { return {pair[0], pair[1]}; }

}  // namespace mycel::ops
