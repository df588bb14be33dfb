// SPDX-License-Identifier: Apache-2.0
// What the operators of recurrent layers share: the walk over time, rows of different lengths, and
// the gradient as a chain of plain operators for those who differentiate it again.
#pragma once

#include <algorithm>
#include <vector>

#include "backend/cpu/half_tensor.h"
#include "operator/define.h"
#include "platform/thread/parallel_for.h"
#include "platform/thread/tiny_numbers.h"

namespace mycel::ops {

// `input` (steps, rows, gates * units), `hidden` (rows, units), `weight` (gates * units, units) and
// lengths (rows,), by their positions among the inputs.
struct ScanInputs {
  std::size_t input, hidden, weight, lengths;
};

void check_scan(const InferContext& op, const ScanInputs& at, std::int64_t gates);
void check_shape(const InferContext& op, std::size_t input, const Shape& shape);

// A sequence as a kernel walks it.
class Walk {
 public:
  // `states` is (steps, rows, units).
  Walk(const KernelContext& kernel, const Shape& states, std::size_t lengths_input);

  std::int64_t steps, rows, units;
  bool is_empty() const { return rows == 0 || units == 0; }
  // Where step number `step` lies in time.
  std::int64_t time(std::int64_t step) const { return reverse_ ? steps - 1 - step : step; }
  bool has_ended(std::int64_t row, std::int64_t time) const {
    return !lengths_.empty() && time >= lengths_[static_cast<std::size_t>(row)];
  }
  // The state before a step: rows of `initial` for the first one, of `states` otherwise.
  template <class T>
  const T* before(std::int64_t step, const Tensor& initial, const Tensor& states) const {
    return step == 0 ? initial.data<T>() : states.data<T>() + time(step - 1) * rows * units;
  }
  template <class Body>
  void each_row(const Body& body) const {
    constexpr std::int64_t kCostPerUnit = 32;  // some exponentials
    platform::parallel_for(rows, units * kCostPerUnit, [&](std::int64_t begin, std::int64_t end) {
      const platform::TinyNumbersAreZero scope;
      for (std::int64_t row = begin; row < end; ++row) body(row);
    });
  }

 private:
  bool reverse_;
  std::vector<std::int64_t> lengths_;
};

inline Tensor transposed(const Tensor& matrix) {
  return Tensor::view(matrix, {matrix.shape()[1], matrix.shape()[0]},
                      {matrix.strides()[1], matrix.strides()[0]}, matrix.body().offset);
}

inline Tensor zeros(const Shape& shape, DType dtype) {
  const Tensor made = Tensor::empty(shape, dtype);
  std::fill_n(static_cast<char*>(made.raw()), made.bytes(), char{0});
  return made;
}

// Row `row` of `tensor`, (..., rows, width), at `time`; null for an undefined tensor.
template <class T>
T* row_of(const Tensor& tensor, std::int64_t time, std::int64_t row) {
  if (!tensor.defined()) return nullptr;
  const Shape& shape = tensor.shape();
  const std::int64_t width = shape.back(), rows = shape[shape.size() - 2];
  return tensor.data<T>() + (time * rows + row) * width;
}

template <class T>
void add_rows(T* to, const T* from, std::int64_t n) {
  if (from == nullptr) return;
  for (std::int64_t j = 0; j < n; ++j) to[j] += from[j];
}

inline Tensor wide_optional(const KernelContext& kernel, std::size_t i) {
  return kernel.has_input(i) ? backend::widened(kernel.input(i)) : Tensor();
}

// A sequence as a gradient rule walks it.
class UnrolledWalk {
 public:
  UnrolledWalk(GradientContext& op, const Shape& states, std::size_t lengths_input);

  std::int64_t steps, rows, units;
  std::int64_t time(std::int64_t step) const { return reverse_ ? steps - 1 - step : step; }
  Value at(const Value& sequence, std::int64_t time) const;  // (rows, width); none stays none
  Value part(const Value& row, std::int64_t index) const;    // units [index, index + 1) * units
  Value before(std::int64_t step, const Value& initial, const Value& states) const;
  Value mask(std::int64_t time) const;  // (rows, 1), 0 where a row has ended; undefined: none has
  Value join(const std::vector<Value>& parts) const;  // along the units
  Value in_time(std::vector<Value> by_step) const;    // (steps, rows, width)
  // States before every step, as rows: (steps * rows, units).
  Value all_before(const Value& initial, const Value& states) const;
  // Of a matrix that multiplied these states, from the gradient of the products.
  Value weight_gradient(const Value& products, const Value& initial, const Value& states) const;

 private:
  GradientContext& op_;
  std::size_t lengths_input_;
  bool reverse_;
};

// a + b where either may be missing.
inline Value plus(const Value& a, const Value& b) {
  if (!a.defined()) return b;
  return b.defined() ? a + b : a;
}
// What is left of `inside` where the mask is 1, and `outside` where it is 0.
inline Value blend(const Value& mask, const Value& inside, const Value& outside) {
  if (!mask.defined()) return inside;
  return outside.defined() ? inside * mask + outside * (1.0 - mask) : inside * mask;
}

}  // namespace mycel::ops
