// SPDX-License-Identifier: Apache-2.0
#include "backend/cpu/matmul.h"

#include <algorithm>
#include <complex>
#include <cstdint>
#include <random>

#include <gtest/gtest.h>

#include "backend/cpu/half_tensor.h"

namespace mycel::backend {
namespace {

using tensor::DType;
using tensor::Shape;
using tensor::Strides;
using tensor::Tensor;

// Small whole numbers: every type gives the exact product.
template <class T>
Tensor numbers(const Shape& shape, unsigned seed) {
  std::minstd_rand random(seed + 1);
  Tensor result = Tensor::empty(shape, tensor::kDTypeOf<T>);
  for (std::int64_t i = 0; i < result.size(); ++i) {
    result.data<T>()[i] = T(static_cast<float>(random() % 7));
  }
  return result;
}

template <class T>
T at(const Tensor& x, const Shape& index) {
  std::int64_t offset = 0;
  for (std::size_t i = 0; i < index.size(); ++i) offset += index[i] * x.strides()[i];
  return x.data<T>()[offset];
}

template <class T>
void expect_product(const Tensor& a, const Tensor& b, const Tensor& bias, const Tensor& c) {
  const std::size_t rank = c.shape().size();
  const std::int64_t k = a.shape()[rank - 1];
  for (std::int64_t flat = 0; flat < c.size(); ++flat) {
    Shape index(rank, 0);
    std::int64_t rest = flat;
    for (std::size_t i = rank; i-- > 0;) {
      index[i] = rest % c.shape()[i];
      rest /= c.shape()[i];
    }
    using Wide = tensor::Accumulator<T>;
    Wide sum = bias.defined() ? Wide(bias.data<T>()[index[rank - 1]]) : Wide(0);
    for (std::int64_t p = 0; p < k; ++p) {
      Shape left = index, right = index;
      left[rank - 1] = p;
      right[rank - 2] = p;
      sum += Wide(at<T>(a, left)) * Wide(at<T>(b, right));
    }
    ASSERT_EQ(Wide(T(sum)), Wide(at<T>(c, index))) << "at " << flat;
  }
}

template <class T>
class MatmulTest : public testing::Test {};
using Types = testing::Types<float, double, tensor::Float16, tensor::BFloat16, std::int8_t,
                             std::int16_t, std::int32_t, std::int64_t, std::uint8_t,
                             std::complex<float>, std::complex<double>>;
TYPED_TEST_SUITE(MatmulTest, Types);

TYPED_TEST(MatmulTest, MultipliesAnyTransposition) {
  for (const auto& [m, n, k] : {std::array<std::int64_t, 3>{1, 1, 1},
                                {4, 4, 4},
                                {3, 33, 5},
                                {1, 71, 35},
                                {13, 17, 31},
                                {37, 40, 20}}) {
    for (const int variant : {0, 1, 2, 3}) {
      Tensor a = numbers<TypeParam>({m, k}, 1), b = numbers<TypeParam>({k, n}, 2);
      if ((variant & 1) != 0) a = Tensor::view(numbers<TypeParam>({k, m}, 3), {m, k}, {1, m}, 0);
      if ((variant & 2) != 0) b = Tensor::view(numbers<TypeParam>({n, k}, 4), {k, n}, {1, k}, 0);
      const Tensor c = Tensor::empty({m, n}, tensor::kDTypeOf<TypeParam>);
      matmul(a, b, {}, c);
      expect_product<TypeParam>(a, b, {}, c);
    }
  }
}

TYPED_TEST(MatmulTest, AddsABiasToEveryRow) {
  const Tensor a = numbers<TypeParam>({5, 6}, 1), b = numbers<TypeParam>({6, 7}, 2);
  const Tensor bias = numbers<TypeParam>({7}, 3),
               c = Tensor::empty({5, 7}, tensor::kDTypeOf<TypeParam>);
  matmul(a, b, bias, c);
  expect_product<TypeParam>(a, b, bias, c);
}

TYPED_TEST(MatmulTest, MultipliesStretchedStacks) {
  const Tensor a = numbers<TypeParam>({2, 1, 3, 4}, 1), b = numbers<TypeParam>({5, 4, 2}, 2);
  const Tensor wide_a = Tensor::view(a, {2, 5, 3, 4}, {12, 0, 4, 1}, 0);
  const Tensor wide_b = Tensor::view(b, {2, 5, 4, 2}, {0, 8, 2, 1}, 0);
  const Tensor c = Tensor::empty({2, 5, 3, 2}, tensor::kDTypeOf<TypeParam>);
  matmul(wide_a, wide_b, {}, c);
  expect_product<TypeParam>(wide_a, wide_b, {}, c);
}

TYPED_TEST(MatmulTest, AnEmptySumIsZeroOrTheBias) {
  const Tensor a = numbers<TypeParam>({3, 0}, 1), b = numbers<TypeParam>({0, 4}, 2);
  const Tensor c = numbers<TypeParam>({3, 4}, 5), bias = numbers<TypeParam>({4}, 6);
  matmul(a, b, {}, c);
  expect_product<TypeParam>(a, b, {}, c);
  matmul(a, b, bias, c);
  expect_product<TypeParam>(a, b, bias, c);
}

TYPED_TEST(MatmulTest, NothingToDoWritesNothing) {
  const Tensor c = Tensor::empty({0, 4}, tensor::kDTypeOf<TypeParam>);
  matmul(numbers<TypeParam>({0, 3}, 1), numbers<TypeParam>({3, 4}, 2), {}, c);
  EXPECT_EQ(c.size(), 0);
}

// Large enough for the library, in every layout it may meet.
class LargeMatmulTest : public testing::TestWithParam<int> {};

TEST_P(LargeMatmulTest, AgreesWithLoops) {
  const std::int64_t m = 70, n = 66, k = 65;
  Tensor a = numbers<float>({3, m, k}, 1), b = numbers<float>({3, k, n}, 2);
  switch (GetParam()) {
    case 0: break;
    case 1: b = Tensor::view(numbers<float>({k, n}, 3), {3, k, n}, {0, n, 1}, 0); break;
    case 2: a = Tensor::view(numbers<float>({m, k}, 3), {3, m, k}, {0, k, 1}, 0); break;
    case 3: a = Tensor::view(numbers<float>({3, k, m}, 3), {3, m, k}, {m * k, 1, m}, 0); break;
    case 4: b = Tensor::view(numbers<float>({3, n, k}, 3), {3, k, n}, {k * n, 1, k}, 0); break;
    case 5:
      a = Tensor::view(numbers<float>({3, m, 2 * k}, 3), {3, m, k}, {2 * m * k, 2 * k, 2}, 0);
      break;
    case 6: a = Tensor::view(numbers<float>({m, 3, k}, 3), {3, m, k}, {k, 3 * k, 1}, 0); break;
    default: b = Tensor::view(numbers<float>({1, 1}, 3), {3, k, n}, {0, 0, 0}, 0); break;
  }
  const Tensor c = Tensor::empty({3, m, n}, DType::Float32);
  matmul(a, b, {}, c);
  expect_product<float>(a, b, {}, c);
}
INSTANTIATE_TEST_SUITE_P(Layouts, LargeMatmulTest, testing::Range(0, 8));

// Along an axis of length one elements can be any distance apart.
TEST(MatmulTest, OneRowGivesTheSameBitsHoweverItLies) {
  const std::int64_t n = 1000, k = 192;
  const Tensor rows = numbers<float>({5, k}, 1), b = numbers<float>({n, k}, 2);
  for (std::int64_t i = 0; i < rows.size(); ++i) rows.data<float>()[i] /= 7;
  for (std::int64_t i = 0; i < b.size(); ++i) b.data<float>()[i] /= 11;
  const Tensor bias = numbers<float>({n}, 3);
  const Tensor across = Tensor::view(b, {k, n}, {1, k}, 0);
  std::string first;
  for (const std::int64_t distance : {5 * k, k, std::int64_t{1}, 2 * k}) {
    const Tensor c = Tensor::empty({1, n}, DType::Float32);
    matmul(Tensor::view(rows, {1, k}, {distance, 1}, 0), across, bias, c);
    const std::string bytes(static_cast<const char*>(c.raw()), c.bytes());
    if (first.empty()) first = bytes;
    EXPECT_EQ(bytes, first) << distance;
  }
}

TEST(HalfTensorTest, ConvertsWholeVectorsAndTheRest) {
  for (const DType dtype : {DType::Float16, DType::BFloat16, DType::Float64}) {
    const Tensor x = numbers<float>({21}, 1);
    const Tensor back = as_floating(as_floating(x, dtype), DType::Float32);
    for (int i = 0; i < 21; ++i) EXPECT_EQ(x.data<float>()[i], back.data<float>()[i]);
  }
}

// As an addition of its own does, so that networks give the same whichever way they are written.
TEST(MatmulBiasTest, ABiasIsAddedToTheWholeSum) {
  constexpr std::int64_t kDeep = 1500, kColumns = 40;
  std::minstd_rand random(3);
  std::normal_distribution<float> draw;
  const auto drawn = [&](const Shape& shape) {
    Tensor result = Tensor::empty(shape, DType::Float32);
    std::generate_n(result.data<float>(), result.size(), [&] { return draw(random); });
    return result;
  };
  const Tensor a = drawn({1, kDeep}), b = drawn({kDeep, kColumns}), bias = drawn({kColumns});
  const Tensor sum = Tensor::empty({1, kColumns}, DType::Float32);
  const Tensor product = Tensor::empty({1, kColumns}, DType::Float32);
  matmul(a, b, bias, sum);
  matmul(a, b, Tensor(), product);
  for (std::int64_t i = 0; i < kColumns; ++i)
    EXPECT_EQ(sum.data<float>()[i], product.data<float>()[i] + bias.data<float>()[i]) << i;
}

}  // namespace
}  // namespace mycel::backend
