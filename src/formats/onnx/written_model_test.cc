// SPDX-License-Identifier: Apache-2.0
#include "formats/onnx/written_model.h"

#include <gtest/gtest.h>

#include "formats/onnx/model.h"
#include "formats/program/model_harness.h"
#include "formats/writing/test_graphs.h"
#include "platform/error/error.h"

namespace mycel::formats::onnx {
namespace {

WrittenModel written(const std::string& text, bool is_as_it_is, tensor::Shape shape = {}) {
  const auto graph = ir::parse(text);
  const std::vector<op::TensorSpec> inputs(1, {tensor::DType::Float32, std::move(shape)});
  const writing::Network network(*graph, inputs, 1, is_as_it_is);
  return {network, {.input_names = {"x"}, .version = "2.3.0"}, testing::emitter()};
}

std::string bytes_of(const WrittenModel& model, const writing::Places& places = {}) {
  const WrittenMessage message = model.message(places);
  std::string bytes;
  message.encode([&](std::string_view part) { bytes += part; });
  EXPECT_EQ(message.size(), bytes.size());
  return bytes;
}

float result_of(const char* text, float x, bool is_as_it_is = false) {
  return testing::run(*testing::read<Model>(bytes_of(written(text, is_as_it_is))), x);
}

TEST(WrittenOnnxTest, ARuleIsWrittenAndComputed) {
  EXPECT_FLOAT_EQ(result_of(testing::kStraight, 3, true), 11);
}

TEST(WrittenOnnxTest, ALoopIsOneNode) {
  EXPECT_FLOAT_EQ(result_of(testing::kLoop, 3), 12);
  EXPECT_FLOAT_EQ(result_of(testing::kLoop, 11), 11);
}

TEST(WrittenOnnxTest, ADecisionIsOneNode) {
  EXPECT_FLOAT_EQ(result_of(testing::kBranch, 2), 6);
  EXPECT_FLOAT_EQ(result_of(testing::kBranch, -2), -4);
}

TEST(WrittenOnnxTest, WeightsMayLieElsewhere) {
  const WrittenModel model = written(testing::kStraight, true);
  const std::vector<writing::Weight> weights = model.weights();
  ASSERT_EQ(weights.size(), 1U);  // the base of the power
  const std::string bytes = bytes_of(model, {{weights[0].name, {"net.data", 64, 4}}});
  EXPECT_NE(bytes.find("net.data"), std::string::npos);
  EXPECT_THROW(testing::read<Model>(bytes), platform::Error);  // memory has no folder
}

// The length of a row, twice as a column.
std::string of_length(int length) {
  const std::string size = std::to_string(length);
  const std::string twice = std::to_string(2 * length);
  return "graph @columns(%1: Float32(" + size + ",) x0) {\n  %2 = constant [1] : Bool()\n" +
         "  %3 = concat(%1, %1; axis=0) : Float32(" + twice + ",)\n" +
         "  %4 = reshape(%3; shape=(" + twice + ", 1)) : Float32(" + twice + ", 1)\n" +
         "  %5 = where(%2, %4, %4) : Float32(" + twice + ", 1)\n" +
         "  %6 = where(%2, %5, %5) : Float32(" + twice + ", 1)\n  return %6\n}\n";
}

TEST(WrittenOnnxTest, SizesThatDifferAreLeftOpen) {
  const WrittenModel five = written(of_length(5), true, {5});
  const WrittenModel seven = written(of_length(7), true, {7});
  const WrittenModel twelve = written(of_length(12), true, {12});
  const WrittenModel* const models[] = {&five, &seven, &twelve};
  const std::string bytes = bytes_of(WrittenModel::for_all_sizes(models, {{0, 0, {5, 7, 12}}}));
  EXPECT_EQ(testing::read<Model>(bytes)->inputs()[0].dims, (std::vector<std::int64_t>{-1}));
  EXPECT_NE(bytes.find("x_0"), std::string::npos);
}

TEST(WrittenOnnxTest, WhatOnnxDoesNotHaveIsNamed) {
  try {
    written(testing::kUnknown, true);
    FAIL();
  } catch (const platform::Error& error) {
    EXPECT_NE(error.message().find("no counterpart of 'fourier'"), std::string::npos)
        << error.message();
  }
}

}  // namespace
}  // namespace mycel::formats::onnx
