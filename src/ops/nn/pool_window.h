// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>

#include "backend/cpu/loops/pool_loops.h"
#include "operator/contexts.h"
#include "ops/nn/sliding_window.h"

namespace mycel::ops {

inline bool has_attribute(const op::AttributeReader& op, std::string_view name) {
  return op.definition().find_attribute(name) >= 0;
}

// The window that the attributes of a pooling operator describe, over a plane of this size.
inline backend::PoolWindow pool_window_of(const op::AttributeReader& op, const Pair& size) {
  const Pair kernel = positive_pair_of(op, "kernel_size"), stride = positive_pair_of(op, "stride");
  const Pair dilation =
      has_attribute(op, "dilation") ? positive_pair_of(op, "dilation") : Pair{1, 1};
  const op::IntList pad = op.ints("pad");
  op.require(pad.size() == 4 && *std::min_element(pad.begin(), pad.end()) >= 0 &&
                 *std::max_element(pad.begin(), pad.end()) < (std::int64_t{1} << 31),
             platform::ErrorKind::Value, "'pad' must be four ints that are not negative, but got ",
             pad, ".");
  backend::PoolWindow w;
  w.height = size[0], w.width = size[1];
  w.kernel_height = kernel[0], w.kernel_width = kernel[1];
  w.stride_height = stride[0], w.stride_width = stride[1];
  w.pad_top = pad[0], w.pad_bottom = pad[1], w.pad_left = pad[2], w.pad_right = pad[3];
  w.dilation_height = dilation[0], w.dilation_width = dilation[1];
  const Rounding rounding = op.flag("ceil_mode") ? Rounding::Up : Rounding::Down;
  w.out_height = window_count(size[0], pad[0], pad[1], kernel[0], stride[0], dilation[0], rounding);
  w.out_width = window_count(size[1], pad[2], pad[3], kernel[1], stride[1], dilation[1], rounding);
  op.require(w.out_height > 0 && w.out_width > 0, platform::ErrorKind::Value,
             "the window must fit into the padded input, but got input (", size[0], ", ", size[1],
             "), kernel (", kernel[0], ", ", kernel[1], "), pad ", pad, ".");
  if (has_attribute(op, "count_include_pad")) {
    w.count_padding = op.flag("count_include_pad");
    w.divisor = op.integer("divisor_override");
    op.require(w.divisor >= 0, platform::ErrorKind::Value,
               "'divisor_override' must be greater than 0, but got ", w.divisor, ".");
  }
  return w;
}

}  // namespace mycel::ops
