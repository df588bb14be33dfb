// SPDX-License-Identifier: Apache-2.0
#include "api/shared_weights.h"

#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace mycel::api {
namespace {

using tensor::DType;
using tensor::Tensor;

Tensor filled(std::int64_t length, float value) {
  Tensor made = Tensor::empty({length}, DType::Float32);
  std::fill_n(made.data<float>(), length, value);
  return made;
}

TEST(SharedWeightsTest, EqualContentIsHeldOnce) {
  SharedWeights weights;
  const Tensor first = weights.shared(filled(5000, 1));
  const Tensor second = weights.shared(filled(5000, 1));
  const Tensor other = weights.shared(filled(5000, 2));
  EXPECT_EQ(first.raw(), second.raw());
  EXPECT_NE(&first.storage(), &second.storage());
  EXPECT_NE(first.raw(), other.raw());
  EXPECT_EQ(second.data<float>()[4999], 1);
}

TEST(SharedWeightsTest, WhatNobodyHoldsIsForgotten) {
  SharedWeights weights;
  for (int i = 0; i < 1000; ++i) {
    const Tensor one = weights.shared(filled(5000, static_cast<float>(i)));
    EXPECT_EQ(one.data<float>()[0], static_cast<float>(i));
  }
}

TEST(SharedWeightsTest, ThreadsMayLoadAtTheSameTime) {
  SharedWeights weights;
  const Tensor first = weights.shared(filled(5000, 3));
  std::vector<std::thread> threads;
  std::vector<Tensor> found(8);
  for (std::size_t i = 0; i < found.size(); ++i)
    threads.emplace_back([&, i] {
      for (int turn = 0; turn < 20; ++turn) found[i] = weights.shared(filled(5000, 3));
    });
  for (std::thread& thread : threads) thread.join();
  for (const Tensor& one : found) EXPECT_EQ(one.raw(), first.raw());
}

}  // namespace
}  // namespace mycel::api
