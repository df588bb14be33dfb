// SPDX-License-Identifier: Apache-2.0
#include "formats/mindir/written_model.h"

#include <gtest/gtest.h>

#include "formats/mindir/model_harness.h"

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
  return testing::run(*testing::read(bytes_of(written(text, is_as_it_is))), x);
}

// Results are marked twice: by the way that gives them, and by the function.
constexpr char kStraight[] = R"(graph @straight(%1: Float32() x0) {
  %2 = constant [1] : Bool()
  %3 = exp2(%1) : Float32()
  %4 = add(%3, %1) : Float32()
  %5 = where(%2, %4, %4) : Float32()
  %6 = where(%2, %5, %5) : Float32()
  return %6
}
)";

TEST(WrittenModelTest, ARuleIsWrittenAndComputed) {
  EXPECT_FLOAT_EQ(result_of(kStraight, 3, true), 11);
}

constexpr char kLoop[] = R"(graph @doubling(%1: Float32() x0) {
  %2 = constant [1] : Bool()
  %3 = constant [10.0] : Float32()
  %4 = while(%1) : Float32() {(%5: Float32())
    %6 = less(%5, %3) : Bool()
    return %6
  } {(%7: Float32())
    %8 = add(%7, %7) : Float32()
    return %8
  }
  %9 = where(%2, %4, %4) : Float32()
  %10 = where(%2, %9, %9) : Float32()
  return %10
}
)";

TEST(WrittenModelTest, ALoopIsGraphsThatCallEachOther) {
  EXPECT_FLOAT_EQ(result_of(kLoop, 3), 12);
  EXPECT_FLOAT_EQ(result_of(kLoop, 11), 11);
}

constexpr char kBranch[] = R"(graph @choosing(%1: Float32() x0) {
  %2 = constant [1] : Bool()
  %3 = constant [0.0] : Float32()
  %4 = add(%1, %1) : Float32()
  %5 = greater(%1, %3) : Bool()
  %6 = if(%5) : Float32() {()
    %7 = add(%4, %1) : Float32()
    %8 = where(%2, %7, %7) : Float32()
    return %8
  } {()
    %9 = where(%2, %4, %4) : Float32()
    return %9
  }
  %10 = where(%2, %6, %6) : Float32()
  return %10
}
)";

TEST(WrittenModelTest, ADecisionIsTwoGraphs) {
  EXPECT_FLOAT_EQ(result_of(kBranch, 2), 6);
  EXPECT_FLOAT_EQ(result_of(kBranch, -2), -4);
}

TEST(WrittenModelTest, FilesForSeveralSizesAreOne) {
  const WrittenModel one = written(kLoop, false);
  const WrittenModel* const models[] = {&one, &one, &one};
  EXPECT_EQ(bytes_of(WrittenModel::for_all_sizes(models)), bytes_of(one));
}

TEST(WrittenModelTest, WhatNoFileHoldsIsNamed) {
  constexpr char kRandom[] = R"(graph @random(%1: Float32() x0) {
  %2 = constant [1] : Bool()
  %3 = fourier(%1) : Float32()
  %4 = where(%2, %3, %3) : Float32()
  %5 = where(%2, %4, %4) : Float32()
  return %5
}
)";
  try {
    written(kRandom, true);
    FAIL();
  } catch (const platform::Error& error) {
    EXPECT_NE(error.message().find("no primitive for 'fourier'"), std::string::npos)
        << error.message();
  }
}

}  // namespace
}  // namespace mycel::formats::mindir
