// SPDX-License-Identifier: Apache-2.0
#include "backend/cpu/reduce_engine.h"

#include <cmath>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

#include "platform/thread/parallel_for.h"

namespace mycel::cpu {
namespace {

using tensor::DType;
using tensor::IntList;
using tensor::Shape;
using tensor::Tensor;

Tensor counting(const Shape& shape) {
  const Tensor result = Tensor::empty(shape, DType::Float32);
  for (std::int64_t i = 0; i < result.size(); ++i) {
    result.data<float>()[i] = static_cast<float>((i * 37 % 101) - 50);
  }
  return result;
}

double total_of(const Tensor& tensor) {
  double total = 0;
  for (std::int64_t i = 0; i < tensor.size(); ++i)
    total += static_cast<double>(tensor.data<float>()[i]);
  return total;
}

// Sums of (outer, middle, inner) over one axis by plain loops.
std::vector<double> plain_sum(const Tensor& x, std::size_t axis) {
  const Shape& shape = x.shape();
  std::vector<double> sums(static_cast<std::size_t>(x.size() / shape[axis]), 0);
  for (std::int64_t i = 0; i < x.size(); ++i) {
    const std::int64_t index[] = {i / (shape[1] * shape[2]), i / shape[2] % shape[1], i % shape[2]};
    std::int64_t place = 0;
    for (std::size_t a = 0; a < 3; ++a) {
      if (a != axis) place = place * shape[a] + index[a];
    }
    sums[static_cast<std::size_t>(place)] += static_cast<double>(x.data<float>()[i]);
  }
  return sums;
}

TEST(ReduceEngineTest, EmptyReductionsGiveTheirNeutralElement) {
  const Tensor x = Tensor::empty({0, 2}, DType::Float32);
  const Tensor y = Tensor::empty({2}, DType::Float32);
  reduce(ReduceKind::Sum, x, {0}, y);
  EXPECT_EQ(y.data<float>()[1], 0);
  reduce(ReduceKind::Prod, x, {0}, y);
  EXPECT_EQ(y.data<float>()[1], 1);
  reduce(ReduceKind::Mean, x, {0}, y);
  EXPECT_TRUE(std::isnan(y.data<float>()[1]));
}

TEST(ReduceEngineTest, EveryAxisOfManyShapes) {
  for (const Shape& shape : {Shape{2, 3, 4}, Shape{1, 1, 1}, Shape{3, 300, 5}, Shape{2, 7, 5000},
                             Shape{900, 2, 70}, Shape{1, 200000, 3}, Shape{2, 1, 140000}}) {
    const Tensor x = counting(shape);
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const std::vector<double> expected = plain_sum(x, axis);
      const Tensor y = Tensor::empty({static_cast<std::int64_t>(expected.size())}, DType::Float32);
      reduce(ReduceKind::Sum, x, {static_cast<std::int64_t>(axis)}, y);
      for (std::size_t i = 0; i < expected.size(); ++i) {
        ASSERT_NEAR(y.data<float>()[i], expected[i], 1e-3) << to_string(shape) << " axis " << axis;
      }
    }
    const Tensor all = Tensor::empty({}, DType::Float32);
    reduce(ReduceKind::Sum, x, {0, 1, 2}, all);
    EXPECT_NEAR(*all.data<float>(), total_of(x), 1e-2);
  }
}

TEST(ReduceEngineTest, StridedInputAndMixedAxes) {
  const Tensor base = counting({4, 5, 6});
  const Tensor view = Tensor::view(base, {6, 4, 5}, {-1, 30, 6}, 5);
  const Tensor sum = Tensor::empty({4}, DType::Float32);
  reduce(ReduceKind::Sum, view, {0, 2}, sum);
  for (std::int64_t i = 0; i < 4; ++i) {
    const Tensor part = Tensor::view(base, {30}, {1}, 30 * i);
    EXPECT_EQ(sum.data<float>()[i], static_cast<float>(total_of(part)));
  }
}

TEST(ReduceEngineTest, NanIsTheExtreme) {
  const Tensor x = counting({3, 200});
  x.data<float>()[250] = std::numeric_limits<float>::quiet_NaN();
  const Tensor y = Tensor::empty({3}, DType::Float32);
  reduce(ReduceKind::Max, x, {1}, y);
  EXPECT_EQ(y.data<float>()[0], 50);
  EXPECT_TRUE(std::isnan(y.data<float>()[1]));
  reduce(ReduceKind::Min, x, {1}, y);
  EXPECT_TRUE(std::isnan(y.data<float>()[1]));
  EXPECT_EQ(y.data<float>()[2], -50);
}

TEST(ReduceEngineTest, LongSumsKeepTheirDigits) {
  const Tensor x = Tensor::empty({3000000}, DType::Float32);
  std::fill(x.data<float>(), x.data<float>() + x.size(), 0.1F);
  const Tensor y = Tensor::empty({}, DType::Float32);
  reduce(ReduceKind::Sum, x, {0}, y);
  EXPECT_NEAR(*y.data<float>(), 300000.0F, 0.3F);
}

TEST(ReduceEngineTest, SameResultForAnyNumberOfThreads) {
  const Tensor x = counting({1000003});
  for (std::int64_t i = 0; i < x.size(); ++i) x.data<float>()[i] *= 0.01F;
  const Tensor one = Tensor::empty({}, DType::Float32);
  const Tensor two = Tensor::empty({}, DType::Float32);
  platform::set_compute_threads(1);
  reduce(ReduceKind::Sum, x, {0}, one);
  platform::set_compute_threads(2);
  reduce(ReduceKind::Sum, x, {0}, two);
  EXPECT_EQ(*one.data<float>(), *two.data<float>());
}

TEST(ReduceEngineTest, NarrowIntegersSumIntoWideOnes) {
  const Tensor x = Tensor::empty({1000}, DType::Int8);
  std::fill(x.data<std::int8_t>(), x.data<std::int8_t>() + 1000, std::int8_t{100});
  const Tensor wide = Tensor::empty({}, DType::Int64);
  reduce(ReduceKind::Sum, x, {0}, wide);
  EXPECT_EQ(*wide.data<std::int64_t>(), 100000);
  const Tensor narrow = Tensor::empty({}, DType::Int8);
  reduce(ReduceKind::Sum, x, {0}, narrow);
  EXPECT_EQ(*narrow.data<std::int8_t>(), static_cast<std::int8_t>(100000));
}

TEST(ReduceMomentsTest, LargeMeanDoesNotSpoilTheVariance) {
  for (const bool columns : {false, true}) {
    const Shape shape = columns ? Shape{10000, 3} : Shape{3, 10000};
    const Tensor x = Tensor::empty(shape, DType::Float32);
    for (std::int64_t i = 0; i < x.size(); ++i) {
      x.data<float>()[i] = 10000.0F + static_cast<float>((columns ? i / 3 : i) % 2);
    }
    const Tensor mean = Tensor::empty({3}, DType::Float32);
    const Tensor variance = Tensor::empty({3}, DType::Float32);
    reduce_moments(x, {columns ? 0 : 1}, 0, mean, variance);
    EXPECT_NEAR(mean.data<float>()[1], 10000.5F, 1e-2F);
    EXPECT_NEAR(variance.data<float>()[1], 0.25F, 1e-3F);
  }
}

}  // namespace
}  // namespace mycel::cpu
