// SPDX-License-Identifier: Apache-2.0
#include "tensor/shape.h"

#include <algorithm>

#include "platform/error/error.h"

namespace mycel::tensor {

using platform::ErrorKind;

std::int64_t element_count(const Shape& shape) {
  std::int64_t count = 1;
  bool overflow = false;
  for (const std::int64_t length : shape) {
    if (length == 0) return 0;
    overflow |= __builtin_mul_overflow(count, length, &count);
  }
  platform::require(!overflow, ErrorKind::Value, "the number of elements of shape ", shape,
                    " does not fit 64 bits");
  return count;
}

Strides contiguous_strides(const Shape& shape) {
  Strides strides(shape.size());
  std::uint64_t step = 1;  // may wrap: a shape with a zero has no elements to reach
  for (std::size_t i = shape.size(); i-- > 0;) {
    strides[i] = static_cast<std::int64_t>(step);
    step *= static_cast<std::uint64_t>(std::max<std::int64_t>(shape[i], 1));
  }
  return strides;
}

bool is_contiguous(const Shape& shape, const Strides& strides) {
  std::uint64_t step = 1;  // may wrap, as above
  for (std::size_t i = shape.size(); i-- > 0;) {
    if (shape[i] == 0) return true;
    if (shape[i] != 1 && strides[i] != static_cast<std::int64_t>(step)) return false;
    step *= static_cast<std::uint64_t>(shape[i]);
  }
  return true;
}

Shape broadcast_shapes(const Shape& a, const Shape& b, std::string_view op) {
  if (a == b) return a;
  const std::size_t rank = std::max(a.size(), b.size());
  Shape result(rank);
  for (std::size_t i = 0; i < rank; ++i) {
    const std::int64_t x = i < rank - a.size() ? 1 : a[i - (rank - a.size())];
    const std::int64_t y = i < rank - b.size() ? 1 : b[i - (rank - b.size())];
    platform::require(x == y || x == 1 || y == 1, ErrorKind::Value, "For '", op,
                      "', the shapes of the inputs cannot be broadcast together: x.shape = ", a,
                      " and y.shape = ", b, ".");
    result[i] = x == 1 ? y : x;
  }
  return result;
}

Strides broadcast_strides(const Shape& shape, const Strides& strides, const Shape& target) {
  Strides result(target.size(), 0);
  const std::size_t extra = target.size() - shape.size();
  for (std::size_t i = 0; i < shape.size(); ++i) {
    result[extra + i] = shape[i] == 1 && target[extra + i] != 1 ? 0 : strides[i];
  }
  return result;
}

std::int64_t normalize_axis(std::int64_t axis, std::int64_t rank, std::string_view op,
                            std::string_view argument) {
  const std::int64_t span = std::max<std::int64_t>(rank, 1);  // a 0-d tensor has the axes 0 and -1
  platform::require(-span <= axis && axis < span, ErrorKind::Value, "For '", op, "', the '",
                    argument, "' must be in [", -span, ", ", span, "), but got ", axis, ".");
  return axis < 0 ? axis + span : axis;
}

}  // namespace mycel::tensor
