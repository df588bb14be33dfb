// SPDX-License-Identifier: Apache-2.0
#include "formats/mindir/written_model.h"

#include <gtest/gtest.h>

#include "formats/mindir/model.h"
#include "formats/program/model_harness.h"
#include "formats/writing/test_graphs.h"

namespace mycel::formats::mindir {
namespace {

using testing::emitter;

WrittenModel written(const char* text, bool is_as_it_is) {
  const auto graph = ir::parse(text);
  const std::vector<op::TensorSpec> inputs(1, {tensor::DType::Float32, {}});
  const writing::Network network(*graph, inputs, 1, is_as_it_is);
  return {network, {.input_names = {"x"}, .version = "2.3.0"}, emitter()};
}

std::string bytes_of(const WrittenModel& model) {
  const WrittenMessage message = model.message({});
  std::string bytes;
  message.encode([&](std::string_view part) { bytes += part; });
  EXPECT_EQ(message.size(), bytes.size());
  return bytes;
}

float result_of(const char* text, float x, bool is_as_it_is = false) {
  return testing::run(*testing::read<Model>(bytes_of(written(text, is_as_it_is))), x);
}

TEST(WrittenModelTest, ARuleIsWrittenAndComputed) {
  EXPECT_FLOAT_EQ(result_of(testing::kStraight, 3, true), 11);
}

TEST(WrittenModelTest, ALoopIsGraphsThatCallEachOther) {
  EXPECT_FLOAT_EQ(result_of(testing::kLoop, 3), 12);
  EXPECT_FLOAT_EQ(result_of(testing::kLoop, 11), 11);
}

TEST(WrittenModelTest, ADecisionIsTwoGraphs) {
  EXPECT_FLOAT_EQ(result_of(testing::kBranch, 2), 6);
  EXPECT_FLOAT_EQ(result_of(testing::kBranch, -2), -4);
}

TEST(WrittenModelTest, FilesForSeveralSizesAreOne) {
  const WrittenModel one = written(testing::kLoop, false);
  const WrittenModel* const models[] = {&one, &one, &one};
  EXPECT_EQ(bytes_of(WrittenModel::for_all_sizes(models)), bytes_of(one));
}

TEST(WrittenModelTest, WhatNoFileHoldsIsNamed) {
  try {
    written(testing::kUnknown, true);
    FAIL();
  } catch (const platform::Error& error) {
    EXPECT_NE(error.message().find("no primitive for 'fourier'"), std::string::npos)
        << error.message();
  }
}

}  // namespace
}  // namespace mycel::formats::mindir
