// SPDX-License-Identifier: Apache-2.0
// Convolution networks compute the same with blocked activations as without.
#include <cmath>
#include <random>

#include <gtest/gtest.h>

#include "passes/passes.h"
#include "runtime/executable.h"

namespace mycel::runtime {
namespace {

using tensor::DType;

std::vector<Tensor> random_arguments(const ir::Graph& graph) {
  std::mt19937 generator(7);
  std::normal_distribution<float> normal(0.0F, 1.0F);
  std::vector<Tensor> arguments;
  for (const ir::Node* node : graph.body().arguments()) {
    Tensor tensor = Tensor::empty(node->type().shape, DType::Float32);
    for (std::int64_t i = 0; i < tensor.size(); ++i) tensor.data<float>()[i] = normal(generator);
    arguments.push_back(tensor);
  }
  return arguments;
}

std::vector<Tensor> run(std::unique_ptr<ir::Graph> graph) {
  const std::vector<Tensor> arguments = random_arguments(*graph);
  return Executable(std::move(graph)).run(arguments);
}

// `form` must be found in the text of the blocked graph.
void compare(const char* text, std::initializer_list<const char*> forms) {
  auto blocked = ir::parse(text);
  ASSERT_TRUE(passes::propagate_layout(*blocked));
  passes::combine_convolution(*blocked);
  passes::combine_batch_norm(*blocked);
  passes::erase_dead_nodes(*blocked);
  ASSERT_NO_THROW(ir::verify(*blocked));
  const std::string changed = ir::to_text(*blocked);
  for (const char* form : forms) EXPECT_NE(changed.find(form), std::string::npos) << changed;
  const std::vector<Tensor> wanted = run(ir::parse(text)), found = run(std::move(blocked));
  ASSERT_EQ(wanted.size(), found.size());
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    ASSERT_EQ(wanted[i].shape(), found[i].shape());
    const Tensor a = tensor::contiguous(wanted[i]), b = tensor::contiguous(found[i]);
    float largest = 0;
    for (std::int64_t k = 0; k < a.size(); ++k)
      largest = std::max(largest, std::abs(a.data<float>()[k]));
    for (std::int64_t k = 0; k < a.size(); ++k)
      ASSERT_NEAR(a.data<float>()[k], b.data<float>()[k], 1e-5F * largest) << i << " at " << k;
  }
}

TEST(BlockedNetworksTest, ConvolutionsOfAllKinds) {
  compare(R"(graph @g(%1: Float32(2, 3, 13, 11) x, %2: Float32(32, 3, 5, 3) a, %3: Float32(32,) b,
                     %4: Float32(32, 1, 3, 3) c, %5: Float32(64, 16, 3, 3) d, %6: Float32(32, 64, 1, 1) e) {
    %7 = conv2d(%1, %2, %3; pad=(2, 2, 1, 1)) : Float32(2, 32, 13, 11)
    %8 = relu(%7) : Float32(2, 32, 13, 11)
    %9 = conv2d(%8, %4, %3; pad=(1, 0, 0, 1), stride=(2, 1), groups=32) : Float32(2, 32, 6, 10)
    %10 = relu6(%9) : Float32(2, 32, 6, 10)
    %11 = conv2d(%10, %5, none; pad=(2, 2, 2, 2), dilation=(2, 2), groups=2) : Float32(2, 64, 6, 10)
    %12 = conv2d(%11, %6, %3) : Float32(2, 32, 6, 10)
    %13 = add(%10, %12) : Float32(2, 32, 6, 10)
    %14 = conv2d_input_gradient(%13, %4; input_size=(13, 11), pad=(1, 0, 0, 1), stride=(2, 1), groups=32) : Float32(2, 32, 13, 11)
    %15 = conv2d_weight_gradient(%8, %13; kernel_size=(3, 3), pad=(1, 0, 0, 1), stride=(2, 1), groups=32) : Float32(32, 1, 3, 3)
    %16 = conv2d_weight_gradient(%1, %14; kernel_size=(5, 3), pad=(2, 2, 1, 1)) : Float32(32, 3, 5, 3)
    %17 = reduce_sum(%14; axis=(0, 2, 3)) : Float32(32,)
    %18 = reduce_mean(%14; axis=(2, 3), keep_dims=True) : Float32(2, 32, 1, 1)
    return %13, %14, %15, %16, %17, %18
  })",
          {"blocked_conv2d(", "blocked_conv2d_input_gradient", "blocked_conv2d_weight_gradient"});
}

TEST(BlockedNetworksTest, Pooling) {
  compare(R"(graph @g(%1: Float32(2, 32, 13, 11) x, %2: Float32(32, 32, 3, 3) w) {
    %3 = conv2d(%1, %2, none; pad=(1, 1, 1, 1)) : Float32(2, 32, 13, 11)
    %4 = max_pool2d(%3; kernel_size=(3, 2), stride=(2, 2), pad=(1, 1, 0, 0), dilation=(1, 2), ceil_mode=True) : Float32(2, 32, 7, 5), Int32(2, 32, 7, 5)
    %5 = plane_scatter(%4#0, %4#1; size=(13, 11)) : Float32(2, 32, 13, 11)
    %6 = avg_pool2d(%5; kernel_size=(3, 3), stride=(2, 2), pad=(1, 1, 1, 1), ceil_mode=True) : Float32(2, 32, 7, 6)
    %7 = avg_pool2d(%6; kernel_size=(3, 3), stride=(1, 1), pad=(1, 1, 1, 1), count_include_pad=True) : Float32(2, 32, 7, 6)
    %8 = avg_pool2d_gradient(%7; input_size=(13, 11), kernel_size=(3, 3), stride=(2, 2), pad=(1, 1, 1, 1), ceil_mode=True) : Float32(2, 32, 13, 11)
    %9 = conv2d(%8, %2, none; pad=(1, 1, 1, 1)) : Float32(2, 32, 13, 11)
    %10 = conv2d(%9, %2, none; pad=(1, 1, 1, 1)) : Float32(2, 32, 13, 11)
    return %10
  })",
          {"blocked_max_pool2d", "blocked_plane_scatter", "blocked_avg_pool2d(",
           "blocked_avg_pool2d_gradient"});
}

TEST(BlockedNetworksTest, NormalizationInTraining) {
  compare(
      R"(graph @g(%1: Float32(3, 32, 9, 9) x, %2: Float32(32, 32, 3, 3) w, %3: Float32(32,) s, %4: Float32(32,) b) {
    %5 = conv2d(%1, %2, none; pad=(1, 1, 1, 1)) : Float32(3, 32, 9, 9)
    %6 = batch_norm_training(%5, %3, %4) : Float32(3, 32, 9, 9), Float32(32,), Float32(32,)
    %7 = relu(%6#0) : Float32(3, 32, 9, 9)
    %8 = conv2d(%7, %2, none; pad=(1, 1, 1, 1)) : Float32(3, 32, 9, 9)
    %9 = batch_norm_training(%8, %3, none; epsilon=0.1) : Float32(3, 32, 9, 9), Float32(32,), Float32(32,)
    %10 = add(%9#0, %7) : Float32(3, 32, 9, 9)
    %11 = relu(%10) : Float32(3, 32, 9, 9)
    %12 = relu_gradient0(%11, %8) : Float32(3, 32, 9, 9)
    %13 = batch_norm_gradient(%12, %8, %3, %9#1, %9#2; epsilon=0.1) : Float32(3, 32, 9, 9), Float32(32,), Float32(32,)
    %14 = conv2d_input_gradient(%13#0, %2; input_size=(9, 9), pad=(1, 1, 1, 1)) : Float32(3, 32, 9, 9)
    %15 = relu_gradient0(%7, %14) : Float32(3, 32, 9, 9)
    %16 = batch_norm_gradient(%15, %5, %3, %6#1, %6#2) : Float32(3, 32, 9, 9), Float32(32,), Float32(32,)
    %17 = conv2d_weight_gradient(%1, %16#0; kernel_size=(3, 3), pad=(1, 1, 1, 1)) : Float32(32, 32, 3, 3)
    return %11, %13#1, %13#2, %16#1, %16#2, %17, %6#1, %9#2
  })",
      {"blocked_batch_norm_training", "activation='relu'", "blocked_batch_norm_gradient"});
}

TEST(BlockedNetworksTest, NormalizationAfterTraining) {
  compare(
      R"(graph @g(%1: Float32(2, 32, 9, 9) x, %2: Float32(32, 32, 3, 3) w, %3: Float32(32,) s, %4: Float32(32,) b) {
    %5 = abs(%3) : Float32(32,)
    %6 = conv2d(%1, %2, %4; pad=(1, 1, 1, 1)) : Float32(2, 32, 9, 9)
    %7 = batch_norm_inference(%6, %3, %4, %4, %5) : Float32(2, 32, 9, 9)
    %8 = relu(%7) : Float32(2, 32, 9, 9)
    %9 = conv2d(%8, %2, none; pad=(1, 1, 1, 1)) : Float32(2, 32, 9, 9)
    %10 = batch_norm_inference(%9, none, none, %4, %5) : Float32(2, 32, 9, 9)
    %11 = add(%8, %10) : Float32(2, 32, 9, 9)
    %12 = relu(%11) : Float32(2, 32, 9, 9)
    %13 = avg_pool2d(%12; kernel_size=(2, 2)) : Float32(2, 32, 8, 8)
    %14 = batch_norm_inference(%13, %3, %4, %4, %5) : Float32(2, 32, 8, 8)
    %15 = conv2d(%14, %2, none) : Float32(2, 32, 6, 6)
    return %15
  })",
      {"normalization_factors", "blocked_batch_norm_inference"});
}

TEST(BlockedNetworksTest, MasksNumbersAndJoining) {
  compare(
      R"(graph @g(%1: Float32(2, 32, 9, 9) x, %2: Float32(32, 64, 3, 3) w, %3: Float32(2, 1, 9, 9) m, %4: Float32(32, 1, 1) s, %5: Float32(9,) r) {
    %6 = mul(%1, %3) : Float32(2, 32, 9, 9)
    %7 = concat(%1, %6; axis=1) : Float32(2, 64, 9, 9)
    %8 = conv2d(%7, %2, none; pad=(1, 1, 1, 1)) : Float32(2, 32, 9, 9)
    %9 = greater(%8, %4) : Bool(2, 32, 9, 9)
    %10 = where(%9, %8, %6) : Float32(2, 32, 9, 9)
    %11 = mul(%10, %5) : Float32(2, 32, 9, 9)
    %12 = concat(%11, %10; axis=1) : Float32(2, 64, 9, 9)
    %13 = conv2d(%12, %2, none; pad=(1, 1, 1, 1)) : Float32(2, 32, 9, 9)
    %14 = conv2d_input_gradient(%13, %2; input_size=(9, 9), pad=(1, 1, 1, 1)) : Float32(2, 64, 9, 9)
    %15 = slice(%14; begin=(0, 32, 1, 0), size=(2, 32, 7, 9)) : Float32(2, 32, 7, 9)
    %16 = neg(%15) : Float32(2, 32, 7, 9)
    %17 = conv2d_weight_gradient(%14, %16; kernel_size=(3, 3), pad=(0, 0, 1, 1)) : Float32(32, 64, 3, 3)
    return %13, %10, %17
  })",
      {"blocked_conv2d", "slice("});
}

}  // namespace
}  // namespace mycel::runtime
