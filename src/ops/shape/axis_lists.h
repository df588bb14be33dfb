// SPDX-License-Identifier: Apache-2.0
// Lists of axes, sizes and places, as rules for writing model files put them together.
#pragma once

#include <algorithm>
#include <initializer_list>

#include "operator/written_operand.h"

namespace mycel::ops {

inline tensor::Shape with_size(tensor::Shape shape, std::int64_t axis, std::int64_t size) {
  shape[static_cast<std::size_t>(axis)] = size;
  return shape;
}

inline tensor::Shape joint(std::initializer_list<tensor::Shape> parts) {
  tensor::Shape whole;
  for (const tensor::Shape& part : parts)
    for (const std::int64_t size : part) whole.push_back(size);
  return whole;
}

inline tensor::Shape cut(const tensor::Shape& shape, std::int64_t first, std::int64_t end) {
  return tensor::Shape(shape.begin() + first, shape.begin() + end);
}

// `first`, `first` + 1, … before `end`.
inline tensor::IntList counted(std::int64_t first, std::int64_t end) {
  tensor::IntList numbers;
  for (; first < end; ++first) numbers.push_back(first);
  return numbers;
}

inline bool holds(const tensor::IntList& numbers, std::int64_t number) {
  return std::find(numbers.begin(), numbers.end(), number) != numbers.end();
}

// The axes of a rank that are not among some, then these.
inline tensor::IntList others_first(std::int64_t rank, const tensor::IntList& axes) {
  tensor::IntList order;
  for (std::int64_t i = 0; i < rank; ++i)
    if (!holds(axes, i)) order.push_back(i);
  return joint({order, axes});
}

// The order of axes that undoes another.
inline tensor::IntList undone(const tensor::IntList& order) {
  tensor::IntList back(order.size());
  for (std::size_t i = 0; i < order.size(); ++i)
    back[static_cast<std::size_t>(order[i])] = static_cast<std::int64_t>(i);
  return back;
}

// Flat positions, in a whole with strides, of a window of this shape that lies in it.
inline op::written::Table strided_places(const tensor::Shape& shape, const tensor::IntList& strides,
                                         std::int64_t offset) {
  return op::written::Table::of(tensor::element_count(shape), [&](std::int64_t number) {
    std::int64_t place = offset;
    for (std::size_t axis = shape.size(); axis-- > 0; number /= shape[axis])
      place += number % shape[axis] * strides[axis];
    return place;
  });
}

}  // namespace mycel::ops
