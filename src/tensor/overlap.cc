// SPDX-License-Identifier: Apache-2.0
#include "tensor/overlap.h"

#include <algorithm>
#include <vector>

namespace mycel::tensor {
namespace {

struct Axis {
  std::int64_t length, stride;  // the stride as a distance
};

std::vector<Axis> walked_axes(const Shape& shape, const Strides& strides) {
  std::vector<Axis> axes;
  for (std::size_t i = 0; i < shape.size(); ++i) {
    if (shape[i] > 1) axes.push_back({shape[i], strides[i] < 0 ? -strides[i] : strides[i]});
  }
  std::ranges::sort(axes, {}, &Axis::stride);
  return axes;
}

// By looking at every element. Only for layouts that no slicing gives.
bool repeats_by_count(const std::vector<Axis>& axes) {
  std::vector<std::int64_t> places = {0};
  for (const Axis& axis : axes) {
    const std::size_t before = places.size();
    for (std::int64_t i = 1; i < axis.length; ++i) {
      for (std::size_t k = 0; k < before; ++k) places.push_back(places[k] + i * axis.stride);
    }
  }
  std::ranges::sort(places);
  return std::ranges::adjacent_find(places) != places.end();
}

}  // namespace

ElementRange reach_of(const Shape& shape, const Strides& strides, std::int64_t offset) {
  ElementRange range{offset, offset};
  for (const std::int64_t length : shape) {
    if (length == 0) return range;
  }
  for (std::size_t i = 0; i < shape.size(); ++i) {
    const std::int64_t way = strides[i] * (shape[i] - 1);
    (way < 0 ? range.begin : range.end) += way;
  }
  ++range.end;
  return range;
}

ElementRange reach_of(const Tensor& tensor) {
  return reach_of(tensor.shape(), tensor.strides(), tensor.body().offset);
}

bool repeats_elements(const Shape& shape, const Strides& strides) {
  for (const std::int64_t length : shape) {
    if (length == 0) return false;
  }
  const std::vector<Axis> axes = walked_axes(shape, strides);
  std::int64_t reach = 0;
  bool is_nested = true;  // every axis steps over all that the finer ones reach
  for (const Axis& axis : axes) {
    if (axis.stride == 0) return true;
    is_nested = is_nested && axis.stride > reach;
    reach += axis.stride * (axis.length - 1);
  }
  return !is_nested && repeats_by_count(axes);
}

bool may_overlap(const Tensor& a, const Tensor& b) {
  const ElementRange left = reach_of(a), right = reach_of(b);
  if (left.is_empty() || right.is_empty()) return false;
  const auto a_size = static_cast<std::int64_t>(size_of(a.dtype()));
  const auto b_size = static_cast<std::int64_t>(size_of(b.dtype()));
  if (&a.storage() == &b.storage())
    return left.begin * a_size < right.end * b_size && right.begin * b_size < left.end * a_size;
  const auto* a_data = static_cast<const char*>(a.storage().data_unwatched());
  const auto* b_data = static_cast<const char*>(b.storage().data_unwatched());
  if (a_data == nullptr || b_data == nullptr || !(a.device() == b.device())) return false;
  return a_data + left.begin * a_size < b_data + right.end * b_size &&
         b_data + right.begin * b_size < a_data + left.end * a_size;
}

bool any_overlap(std::span<const Tensor> tensors) {
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    for (std::size_t k = 0; k < i; ++k)
      if (!(tensors[i] == tensors[k]) && may_overlap(tensors[i], tensors[k])) return true;
  }
  return false;
}

}  // namespace mycel::tensor
