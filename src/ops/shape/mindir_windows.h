// SPDX-License-Identifier: Apache-2.0
// What rules for writing share that move elements without computing.
#pragma once

#include <algorithm>
#include <utility>
#include <vector>

#include "operator/mindir_call.h"

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
inline op::mindir::Table strided_places(const tensor::Shape& shape, const tensor::IntList& strides,
                                        std::int64_t offset) {
  return op::mindir::Table::of(tensor::element_count(shape), [&](std::int64_t number) {
    std::int64_t place = offset;
    for (std::size_t axis = shape.size(); axis-- > 0; number /= shape[axis])
      place += number % shape[axis] * strides[axis];
    return place;
  });
}

// Positions begin, begin + step, … of every axis; an axis read backwards is turned first.
op::mindir::Symbol window(const op::mindir::Symbol& x, tensor::IntList begin,
                          const tensor::IntList& length, tensor::IntList step);

using Rims = std::vector<std::pair<std::int64_t, std::int64_t>>;

// With a number in front of and behind every axis.
op::mindir::Symbol padded(const op::mindir::Symbol& x, const Rims& rims,
                          const op::mindir::Operand& value = 0);

}  // namespace mycel::ops
