// SPDX-License-Identifier: Apache-2.0
#include "eager/index_window.h"

#include "platform/error/error.h"

namespace mycel::eager {
namespace {

using platform::ErrorKind;
using tensor::IntList;

// A place in a slice of an axis, as Python clips it.
std::int64_t clipped(std::int64_t place, std::int64_t length, bool backward) {
  if (place < 0) {
    place += length;
    return place >= 0 ? place : backward ? -1 : 0;
  }
  if (place < length) return place;
  return backward ? length - 1 : length;
}

class WindowBuilder {
 public:
  explicit WindowBuilder(const tensor::Shape& shape) : shape_(shape) {}

  void integer(std::int64_t position) {
    require_axis();
    const std::int64_t size = shape_[axis_];
    platform::require(-size <= position && position < size, ErrorKind::Index, "index ", position,
                      " is out of bounds for dimension with size ", size);
    add(position < 0 ? position + size : position, 1, 1);
    ++axis_;
  }

  void slice(const IndexPart& part) {
    require_axis();
    const std::int64_t step = part.step;
    const std::int64_t start = clipped(part.start, shape_[axis_], step < 0);
    const std::int64_t stop = clipped(part.stop, shape_[axis_], step < 0);
    std::int64_t length = 0;
    if (step < 0 && stop < start) length = (start - stop - 1) / -step + 1;
    if (step > 0 && start < stop) length = (stop - start - 1) / step + 1;
    add(length == 0 ? 0 : start, length, step);
    axes_.push_back(static_cast<std::int64_t>(axis_));
    ++axis_;
  }

  void new_axis() { axes_.push_back(-1); }

  void whole_axes(std::size_t count) {
    for (; count > 0; --count) {
      add(0, shape_[axis_], 1);
      axes_.push_back(static_cast<std::int64_t>(axis_++));
    }
  }

  std::size_t axes_left() const { return shape_.size() - axis_; }

  op::AttributeList finish() {
    whole_axes(axes_left());
    op::AttributeList attributes(4);
    attributes[0] = std::move(begin_);
    attributes[1] = std::move(length_);
    attributes[2] = std::move(step_);
    attributes[3] = std::move(axes_);
    return attributes;
  }

 private:
  void require_axis() {
    platform::require(!shape_.empty(), ErrorKind::Type, "Cannot iterate over a scalar tensor.");
    platform::require(axis_ < shape_.size(), ErrorKind::Index,
                      "too many indices for tensor of dimension", shape_.size());
  }
  void add(std::int64_t begin, std::int64_t length, std::int64_t step) {
    begin_.push_back(begin);
    length_.push_back(length);
    step_.push_back(step);
  }

  const tensor::Shape& shape_;
  std::size_t axis_ = 0;
  IntList begin_, length_, step_, axes_;
};

std::size_t axes_taken(std::span<const IndexPart> index) {
  std::size_t taken = 0;
  for (const IndexPart& part : index)
    taken += part.kind == IndexPart::Kind::Integer || part.kind == IndexPart::Kind::Slice ? 1 : 0;
  return taken;
}

}  // namespace

op::AttributeList window_attributes(const tensor::Shape& shape, std::span<const IndexPart> index) {
  WindowBuilder builder(shape);
  bool ellipsis = false;
  for (std::size_t i = 0; i < index.size(); ++i) {
    const IndexPart& part = index[i];
    switch (part.kind) {
      case IndexPart::Kind::Integer: builder.integer(part.start); break;
      case IndexPart::Kind::Slice: builder.slice(part); break;
      case IndexPart::Kind::NewAxis: builder.new_axis(); break;
      case IndexPart::Kind::Ellipsis: {
        platform::require(!ellipsis, ErrorKind::Index,
                          "An index can only have a single ellipsis('...')");
        ellipsis = true;
        const std::size_t later = axes_taken(index.subspan(i + 1));
        platform::require(later <= builder.axes_left(), ErrorKind::Index,
                          "too many indices for tensor of dimension", shape.size());
        builder.whole_axes(builder.axes_left() - later);
        break;
      }
    }
  }
  return builder.finish();
}

}  // namespace mycel::eager
