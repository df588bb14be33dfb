// SPDX-License-Identifier: Apache-2.0
#include "backend/cpu/convolution.h"

#include <cmath>
#include <random>
#include <vector>

#include <gtest/gtest.h>

namespace mycel::backend {
namespace {

using tensor::DType;
using tensor::Shape;
using tensor::Tensor;

struct Case {
  Shape input, weight;
  ConvolutionWindow window;
};

std::int64_t outputs(std::int64_t size, std::int64_t before, std::int64_t after,
                     std::int64_t kernel, std::int64_t stride, std::int64_t dilation) {
  return (size + before + after - dilation * (kernel - 1) - 1) / stride + 1;
}

Shape output_shape(const Case& c) {
  const ConvolutionWindow& w = c.window;
  return {
      c.input[0], c.weight[0],
      outputs(c.input[2], w.pad_top, w.pad_bottom, c.weight[2], w.stride_height, w.dilation_height),
      outputs(c.input[3], w.pad_left, w.pad_right, c.weight[3], w.stride_width, w.dilation_width)};
}

template <class T>
Tensor numbers(const Shape& shape, unsigned seed) {
  std::minstd_rand random(seed + 1);
  Tensor result = Tensor::empty(shape, tensor::kDTypeOf<T>);
  for (std::int64_t i = 0; i < result.size(); ++i) {
    result.data<T>()[i] = T((static_cast<float>(random() % 9) - 4) / 4);
  }
  return result;
}

// Calls visit(output element, input element, weight element) for every product of the definition.
template <class Visit>
void for_each_product(const Case& c, const Shape& out, const Visit& visit) {
  const ConvolutionWindow& w = c.window;
  const std::int64_t per_in = c.weight[1], per_out = c.weight[0] / w.groups;
  for (std::int64_t n = 0; n < out[0]; ++n)
    for (std::int64_t o = 0; o < out[1]; ++o)
      for (std::int64_t oy = 0; oy < out[2]; ++oy)
        for (std::int64_t ox = 0; ox < out[3]; ++ox)
          for (std::int64_t i = 0; i < per_in; ++i)
            for (std::int64_t ky = 0; ky < c.weight[2]; ++ky)
              for (std::int64_t kx = 0; kx < c.weight[3]; ++kx) {
                const std::int64_t y = oy * w.stride_height - w.pad_top + ky * w.dilation_height;
                const std::int64_t x = ox * w.stride_width - w.pad_left + kx * w.dilation_width;
                if (y < 0 || y >= c.input[2] || x < 0 || x >= c.input[3]) continue;
                const std::int64_t channel = o / per_out * per_in + i;
                visit(((n * out[1] + o) * out[2] + oy) * out[3] + ox,
                      ((n * c.input[1] + channel) * c.input[2] + y) * c.input[3] + x,
                      ((o * per_in + i) * c.weight[2] + ky) * c.weight[3] + kx);
              }
}

template <class T>
void expect_near(const Tensor& got, const std::vector<double>& wanted) {
  const double tolerance = sizeof(T) == 2 ? 4e-2 : sizeof(T) == 4 ? 1e-4 : 1e-10;
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    ASSERT_NEAR(double(tensor::Accumulator<T>(got.data<T>()[i])), wanted[i],
                tolerance * (1 + std::fabs(wanted[i])));
  }
}

template <class T>
void check(const Case& c) {
  const Shape out = output_shape(c);
  const Tensor x = numbers<T>(c.input, 1), w = numbers<T>(c.weight, 2), dy = numbers<T>(out, 3);
  const Tensor bias = numbers<T>({c.weight[0]}, 4);
  const auto value = [](const Tensor& t, std::int64_t i) {
    return double(tensor::Accumulator<T>(t.data<T>()[i]));
  };
  const auto zeros = [](const Tensor& t) {
    return std::vector<double>(static_cast<std::size_t>(t.size()));
  };
  std::vector<double> y = zeros(dy), biased, dx = zeros(x), dw = zeros(w);
  for_each_product(c, out, [&](std::int64_t o, std::int64_t i, std::int64_t k) {
    y[o] += value(x, i) * value(w, k);
    dx[i] += value(dy, o) * value(w, k);
    dw[k] += value(dy, o) * value(x, i);
  });
  biased = y;
  for (std::size_t i = 0; i < biased.size(); ++i) {
    biased[i] += value(bias, static_cast<std::int64_t>(i) / (out[2] * out[3]) % out[1]);
  }
  const DType dtype = tensor::kDTypeOf<T>;
  const Tensor ty = Tensor::empty(out, dtype), tx = Tensor::empty(c.input, dtype),
               tw = Tensor::empty(c.weight, dtype);
  convolve(x, w, {}, c.window, ty);
  expect_near<T>(ty, y);
  convolve(x, w, bias, c.window, ty);
  expect_near<T>(ty, biased);
  convolve_input_gradient(dy, w, c.window, tx);
  expect_near<T>(tx, dx);
  convolve_weight_gradient(x, dy, c.window, tw);
  expect_near<T>(tw, dw);
}

class ConvolutionTest : public testing::TestWithParam<Case> {};

TEST_P(ConvolutionTest, Float32AgreesWithLoops) { check<float>(GetParam()); }
TEST_P(ConvolutionTest, Float64AgreesWithLoops) { check<double>(GetParam()); }
TEST_P(ConvolutionTest, Float16AgreesWithLoops) { check<tensor::Float16>(GetParam()); }
TEST_P(ConvolutionTest, BFloat16AgreesWithLoops) { check<tensor::BFloat16>(GetParam()); }

INSTANTIATE_TEST_SUITE_P(
    Shapes, ConvolutionTest,
    testing::Values(Case{{1, 1, 1, 1}, {1, 1, 1, 1}, {}}, Case{{2, 3, 7, 5}, {4, 3, 3, 2}, {}},
                    Case{{2, 3, 8, 9}, {5, 3, 3, 3}, {1, 2, 0, 1, 2, 1, 1, 1, 1}},
                    Case{{1, 4, 9, 9}, {6, 2, 2, 3}, {1, 1, 1, 1, 1, 2, 2, 3, 2}},
                    Case{{2, 4, 6, 6}, {4, 1, 3, 3}, {1, 1, 1, 1, 1, 1, 1, 1, 4}},
                    Case{{2, 4, 6, 6}, {8, 1, 3, 3}, {1, 1, 1, 1, 2, 2, 1, 1, 4}},
                    Case{{3, 17, 5, 4}, {19, 17, 1, 1}, {}},
                    Case{{2, 16, 7, 7}, {32, 16, 1, 1}, {0, 0, 0, 0, 2, 2, 1, 1, 1}},
                    Case{{1, 2, 3, 3}, {2, 2, 5, 5}, {2, 3, 2, 3, 1, 1, 1, 1, 1}}));

TEST(ConvolutionEdgeTest, NoImagesGiveZeroWeightGradients) {
  const Tensor x = Tensor::empty({0, 2, 4, 4}, DType::Float32),
               dy = Tensor::empty({0, 3, 2, 2}, DType::Float32);
  const Tensor dw = numbers<float>({3, 2, 3, 3}, 1);
  convolve_weight_gradient(x, dy, {}, dw);
  for (std::int64_t i = 0; i < dw.size(); ++i) EXPECT_EQ(dw.data<float>()[i], 0.0F);
}

TEST(ConvolutionEdgeTest, StridedOperandsAreRead) {
  const Tensor base = numbers<float>({4, 4, 3, 1}, 1), w = numbers<float>({2, 3, 2, 2}, 2);
  const Tensor x = Tensor::view(base, {1, 3, 4, 4}, {48, 1, 12, 3}, 0);
  const Tensor direct = Tensor::empty({1, 2, 3, 3}, DType::Float32),
               dense = Tensor::empty({1, 2, 3, 3}, DType::Float32);
  convolve(x, w, {}, {}, direct);
  convolve(tensor::contiguous(x), w, {}, {}, dense);
  for (int i = 0; i < 18; ++i) EXPECT_EQ(direct.data<float>()[i], dense.data<float>()[i]);
}

}  // namespace
}  // namespace mycel::backend
