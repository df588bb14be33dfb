// SPDX-License-Identifier: Apache-2.0
#include "serving/batching/value.h"

#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace mycel::serving {
namespace {

using testing::ElementsAre;

TEST(ValueTest, ImpossibleShapesAreRefused) {
  constexpr std::int64_t kHuge = std::numeric_limits<std::int64_t>::max();
  EXPECT_FALSE(element_count(Dims{-1}));
  EXPECT_FALSE(element_count(Dims{0, -1}));
  EXPECT_FALSE(element_count(Dims{kHuge}));
  EXPECT_FALSE(element_count(Dims{kHuge, kHuge}));
  EXPECT_FALSE(element_count(Dims{1LL << 32, 1LL << 32}));
  EXPECT_FALSE(element_count(Dims(kMostDims + 1, 1)));
}

TEST(ValueTest, CountsElements) {
  EXPECT_EQ(element_count(Dims{}).value(), 1U);
  EXPECT_EQ(element_count(Dims{2, 3}).value(), 6U);
  EXPECT_EQ(element_count(Dims{1LL << 40, 0, 1LL << 40}).value(), 0U);
  EXPECT_EQ(element_count(Dims(kMostDims, 1)).value(), 1U);
}

TEST(ValueTest, BytesHaveToFitTheShape) {
  const std::byte bytes[8] = {};
  EXPECT_TRUE(check(make_value(ElementType::Float32, {2}, bytes)));
  EXPECT_FALSE(check(make_value(ElementType::Float32, {3}, bytes)));
  EXPECT_FALSE(check(make_value(ElementType::Float64, {}, std::span(bytes).first(7))));
  EXPECT_TRUE(check(make_value(ElementType::Int8, {0, 5}, {})));
}

TEST(ValueTest, TextHasToFitItsLengths) {
  const std::string_view parts[] = {"one", "", "three"};
  Value value = make_text(ElementType::Bytes, {3}, parts);
  EXPECT_TRUE(check(value));
  value.dims = {2};
  EXPECT_FALSE(check(value));
  value.dims = {3};
  value.bytes = value.bytes.first(value.bytes.size() - 1);
  EXPECT_FALSE(check(value));
  value.bytes = value.bytes.first(2);
  EXPECT_FALSE(text_elements(value));
}

TEST(ValueTest, TextComesBack) {
  const std::string_view parts[] = {"one", "", "three"};
  const Value value = make_text(ElementType::String, {3}, parts);
  EXPECT_THAT(text_elements(value).value(), ElementsAre("one", "", "three"));
}

}  // namespace
}  // namespace mycel::serving
