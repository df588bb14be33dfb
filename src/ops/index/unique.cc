// SPDX-License-Identifier: Apache-2.0
#include <bit>

#include "operator/define.h"

namespace mycel::ops {
namespace {

std::uint64_t scrambled(std::uint64_t value) {
  value = (value ^ (value >> 33)) * 0xff51afd7ed558ccdULL;
  value = (value ^ (value >> 29)) * 0xc4ceb9fe1a85ec53ULL;
  return value ^ (value >> 32);
}

template <class T>
std::uint64_t bits_of(const T& value) {
  if constexpr (std::is_same_v<T, std::complex<float>>) {
    return std::bit_cast<std::uint64_t>(value);
  } else if constexpr (std::is_same_v<T, std::complex<double>>) {
    return scrambled(std::bit_cast<std::uint64_t>(value.real())) ^
           std::bit_cast<std::uint64_t>(value.imag());
  } else if constexpr (std::is_floating_point_v<T>) {
    const double wide = value == T() ? 0.0 : static_cast<double>(value);  // -0 equals 0
    return std::bit_cast<std::uint64_t>(wide);
  } else if constexpr (std::is_integral_v<T>) {
    return static_cast<std::uint64_t>(value);
  } else {
    return bits_of(static_cast<float>(value));
  }
}

// Open addressing over the distinct values found so far; NaN never equals another NaN.
template <class T>
class ValueTable {
 public:
  explicit ValueTable(std::int64_t most)
      : slots_(std::bit_ceil(static_cast<std::uint64_t>(most) * 2 + 2), -1) {}
  std::int64_t number_of(const T& value) {
    if (value != value) {  // kept out of the table, where they would form one long run
      values_.push_back(value);
      return static_cast<std::int64_t>(values_.size()) - 1;
    }
    const std::uint64_t last = slots_.size() - 1;
    for (std::uint64_t slot = scrambled(bits_of(value)) & last;; slot = (slot + 1) & last) {
      std::int64_t& number = slots_[slot];
      if (number < 0) {
        number = static_cast<std::int64_t>(values_.size());
        values_.push_back(value);
        return number;
      }
      if (value == values_[static_cast<std::size_t>(number)]) return number;
    }
  }
  const std::vector<T>& values() const { return values_; }

 private:
  std::vector<std::int64_t> slots_;
  std::vector<T> values_;
};

template <>
class ValueTable<bool> {
 public:
  explicit ValueTable(std::int64_t) {}
  std::int64_t number_of(bool value) {
    for (std::size_t i = 0; i < values_.size(); ++i) {
      if (values_[i] == value) return static_cast<std::int64_t>(i);
    }
    values_.push_back(value);
    return static_cast<std::int64_t>(values_.size()) - 1;
  }
  const std::vector<bool>& values() const { return values_; }

 private:
  std::vector<bool> values_;
};

}  // namespace

MYCEL_OP(unique)
    .names({.primitive = "Unique", .function = "unique"})
    .doc(
        "The distinct elements in order of first appearance, and for every element the number of "
        "its value.")
    .input("input", "Any tensor.")
    .output("values", "One axis.")
    .output("indices", "Shape of the input; int64 for an int64 input, else int32.")
    .dynamic_outputs()
    .infer([](InferContext& op) {
      const DType numbers = op.input(0).dtype == DType::Int64 ? DType::Int64 : DType::Int32;
      op.set_output(0, op.input(0).dtype, Shape{0});
      op.set_output(1, numbers, op.input(0).shape);
    })
    .not_differentiable()
    .sample("repeated", {integers({8}, 0, 4, DType::Int32)})
    .sample("matrix", {values({2, 2}, {2, 1, 2, 0})})
    .sample("nothing", {normal({0})})
    .sample_dtypes(kReal);

MYCEL_CPU_KERNEL(unique) {
  const Tensor input = kernel.dense(0);
  const std::int64_t count = input.size();
  const bool wide = input.dtype() == DType::Int64;
  const Tensor numbers =
      kernel.allocate_output(1, wide ? DType::Int64 : DType::Int32, input.shape());
  with_any_type(input.dtype(), [&]<class T>() {
    ValueTable<T> table(count);
    for (std::int64_t i = 0; i < count; ++i) {
      const std::int64_t number = table.number_of(input.data<T>()[i]);
      if (wide)
        numbers.data<std::int64_t>()[i] = number;
      else
        numbers.data<std::int32_t>()[i] = static_cast<std::int32_t>(number);
    }
    const auto distinct = static_cast<std::int64_t>(table.values().size());
    const Tensor& output = kernel.allocate_output(0, input.dtype(), Shape{distinct});
    std::copy(table.values().begin(), table.values().end(), output.data<T>());
  });
}

}  // namespace mycel::ops
