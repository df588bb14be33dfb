// SPDX-License-Identifier: Apache-2.0
#include "serving/gateway/number_text.h"

#include <bit>
#include <cmath>
#include <cstdlib>
#include <limits>

#include <gtest/gtest.h>

#include "platform/json/json.h"

namespace mycel::serving {
namespace {

template <class Number>
std::string text_of(ElementType type, Dims dims, const std::vector<Number>& numbers) {
  std::string text;
  append_elements(text, make_value(type, std::move(dims), std::as_bytes(std::span(numbers))));
  return text;
}

TEST(NumberTextTest, WhatIsNotFiniteIsWrittenAsPythonDoes) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  EXPECT_EQ(text_of<float>(ElementType::Float32, {3}, {std::nanf(""), kInfinity, -kInfinity}),
            "[NaN,Infinity,-Infinity]");
}

TEST(NumberTextTest, LimitsOfIntegers) {
  EXPECT_EQ(
      text_of<std::int64_t>(ElementType::Int64, {}, {std::numeric_limits<std::int64_t>::min()}),
      "-9223372036854775808");
  EXPECT_EQ(
      text_of<std::uint64_t>(ElementType::UInt64, {}, {std::numeric_limits<std::uint64_t>::max()}),
      "18446744073709551615");
  EXPECT_EQ(text_of<std::int8_t>(ElementType::Int8, {}, {-128}), "-128");
  EXPECT_EQ(text_of<std::uint8_t>(ElementType::UInt8, {}, {255}), "255");
}

TEST(NumberTextTest, FloatsReadBackToTheSameBits) {
  for (const float number : {0.1F, 1e-45F, 3.4028235e38F, -0.0F, 16777217.0F, 1.0F / 3}) {
    const std::string text = text_of<float>(ElementType::Float32, {}, {number});
    EXPECT_EQ(std::bit_cast<std::uint32_t>(std::strtof(text.c_str(), nullptr)),
              std::bit_cast<std::uint32_t>(number))
        << text;
    EXPECT_FALSE(platform::parse_json(text, "number").is_integer()) << text;
  }
}

TEST(NumberTextTest, HalfNumbersAreExact) {
  EXPECT_EQ(from_float16(0x3c00), 1);
  EXPECT_EQ(from_float16(0xc000), -2);
  EXPECT_EQ(from_float16(0x7bff), 65504);
  EXPECT_EQ(from_float16(0x0001), std::ldexp(1.0F, -24));
  EXPECT_EQ(from_float16(0x0400), std::ldexp(1.0F, -14));
  EXPECT_TRUE(std::signbit(from_float16(0x8000)));
  EXPECT_TRUE(std::isinf(from_float16(0x7c00)));
  EXPECT_TRUE(std::isnan(from_float16(0x7e00)));
  EXPECT_EQ(from_bfloat16(0x3f80), 1);
}

TEST(NumberTextTest, ElementsAreNested) {
  EXPECT_EQ(text_of<std::int32_t>(ElementType::Int32, {2, 2}, {1, 2, 3, 4}), "[[1,2],[3,4]]");
  EXPECT_EQ(text_of<std::int32_t>(ElementType::Int32, {0}, {}), "[]");
}

TEST(NumberTextTest, StringsAreUtf8WhateverTheyWere) {
  std::string text;
  append_string(text, "a\xc3(\xe2\x82\xac\xf0\x9f\x98");
  EXPECT_TRUE(platform::is_utf8(text)) << text;
  EXPECT_EQ(text, "\"a\xEF\xBF\xBD(\xe2\x82\xac\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\"");
}

}  // namespace
}  // namespace mycel::serving
