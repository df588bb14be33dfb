// SPDX-License-Identifier: Apache-2.0
#include "tensor/number.h"

#include <limits>

#include <gtest/gtest.h>

#include "platform/error/error.h"
#include "tensor/overlap.h"

namespace mycel::tensor {
namespace {

template <class T>
Tensor single(T value, DType dtype) {
  Tensor tensor = Tensor::empty({1}, dtype);
  *tensor.data<T>() = value;
  return tensor;
}

TEST(NumberTest, SeveralElementsAreNoNumber) {
  EXPECT_THROW(only_number(Tensor::empty({2}, DType::Float32)), platform::Error);
}

TEST(NumberTest, ElementsKeepTheirValue) {
  const std::uint64_t most = std::numeric_limits<std::uint64_t>::max();
  EXPECT_EQ(only_number(single(true, DType::Bool)), Number(true));
  EXPECT_EQ(only_number(single(std::int8_t{-3}, DType::Int8)), Number(std::int64_t{-3}));
  EXPECT_EQ(only_number(single(most, DType::UInt64)), Number(most));
  EXPECT_EQ(only_number(single(0.5F, DType::Float32)), Number(0.5));
  EXPECT_EQ(only_number(single(std::complex<float>(1, 2), DType::Complex64)),
            Number(std::complex<double>(1, 2)));
}

TEST(NumberTest, WholeNumbersAreReadInOrder) {
  Tensor tensor = Tensor::empty({2, 2}, DType::Int32);
  for (std::int32_t i = 0; i < 4; ++i) tensor.data<std::int32_t>()[i] = i;
  EXPECT_EQ(whole_numbers(Tensor::view(tensor, {2, 2}, {1, 2}, 0)), (IntList{0, 2, 1, 3}));
}

TEST(NumberTest, ComplexNumbersAreZeroInBothParts) {
  EXPECT_TRUE(is_nonzero(single(std::complex<double>(0, 2), DType::Complex128)));
  EXPECT_FALSE(is_nonzero(single(std::complex<double>(0, 0), DType::Complex128)));
  EXPECT_FALSE(is_nonzero(single(0.0F, DType::Float32)));
}

TEST(OverlapTest, OneTensorTwiceIsNoOverlap) {
  const Tensor a = Tensor::empty({4}, DType::Float32), b = Tensor::empty({4}, DType::Float32);
  EXPECT_FALSE(any_overlap(std::vector{a, b, a}));
  EXPECT_TRUE(any_overlap(std::vector{b, a, Tensor::view(a, {2}, {1}, 1)}));
}

}  // namespace
}  // namespace mycel::tensor
