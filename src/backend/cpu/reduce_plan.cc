// SPDX-License-Identifier: Apache-2.0
#include "backend/cpu/reduce_plan.h"

#include <algorithm>
#include <cstdlib>
#include <utility>
#include <vector>

namespace mycel::cpu {
namespace {

void append_axis(tensor::Shape& lengths, tensor::Strides& strides, std::int64_t length,
                 std::int64_t stride) {
  if (length == 1) return;
  if (!lengths.empty() && strides.back() == stride * length) {
    lengths.back() *= length;
    strides.back() = stride;
    return;
  }
  lengths.push_back(length);
  strides.push_back(stride);
}

std::int64_t offset_of(const tensor::Shape& lengths, const tensor::Strides& strides,
                       std::int64_t index) {
  std::int64_t offset = 0;
  for (std::size_t axis = lengths.size(); axis-- > 0;) {
    offset += index % lengths[axis] * strides[axis];
    index /= lengths[axis];
  }
  return offset;
}

}  // namespace

ReducePlan::ReducePlan(const tensor::Tensor& input, const tensor::IntList& axes) {
  std::vector<std::pair<std::int64_t, std::int64_t>> reduced;  // stride, length
  for (std::size_t axis = 0; axis < input.shape().size(); ++axis) {
    const std::int64_t length = input.shape()[axis];
    const std::int64_t stride = input.strides()[axis];
    if (std::ranges::find(axes, static_cast<std::int64_t>(axis)) == axes.end()) {
      outputs *= length;
      append_axis(kept_lengths, kept_strides, length, stride);
    } else {
      count *= length;
      reduced.emplace_back(stride, length);
    }
  }
  // The order inside a result is ours to choose: the closest elements innermost.
  std::ranges::stable_sort(
      reduced, [](const auto& a, const auto& b) { return std::abs(a.first) > std::abs(b.first); });
  for (const auto& [stride, length] : reduced) {
    append_axis(reduced_lengths, reduced_strides, length, stride);
  }
}

std::int64_t ReducePlan::kept_offset(std::int64_t output) const {
  return offset_of(kept_lengths, kept_strides, output);
}

std::int64_t ReducePlan::reduced_offset(std::int64_t element) const {
  return offset_of(reduced_lengths, reduced_strides, element);
}

}  // namespace mycel::cpu
