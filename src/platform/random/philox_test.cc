// SPDX-License-Identifier: Apache-2.0
#include "platform/random/philox.h"

#include <cmath>
#include <cstdint>

#include <gtest/gtest.h>

namespace mycel::platform {
namespace {

void expect_words(const RandomBlock& block, std::uint32_t a, std::uint32_t b, std::uint32_t c,
                  std::uint32_t d) {
  EXPECT_EQ(block.word[0], a);
  EXPECT_EQ(block.word[1], b);
  EXPECT_EQ(block.word[2], c);
  EXPECT_EQ(block.word[3], d);
}

// The three vectors published with the algorithm.
TEST(PhiloxTest, AgreesWithKnownAnswers) {
  expect_words(philox({{0, 0, 0, 0}}, 0), 0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8);
  expect_words(philox({{~0U, ~0U, ~0U, ~0U}}, ~0ULL), 0x408f276d, 0x41c83b0e, 0xa20bc7c6,
               0x6d5451fd);
  expect_words(philox({{0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}}, 0x299f31d0a4093822ULL),
               0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1);
}

TEST(PhiloxTest, StreamAndOffsetFillTheCounter) {
  const RandomBlock expected = philox({{0x1, 0x2, 0x3, 0x4}}, 99);
  const RandomBlock block = random_block(99, 0x200000001ULL, 0x400000003ULL);
  for (int i = 0; i < 4; ++i) EXPECT_EQ(block.word[i], expected.word[i]);
}

TEST(PhiloxTest, UniformNeverReachesOne) {
  EXPECT_EQ(uniform_float(0), 0.0F);
  EXPECT_LT(uniform_float(~0U), 1.0F);
  EXPECT_EQ(uniform_double(0), 0.0);
  EXPECT_LT(uniform_double(~0ULL), 1.0);
}

TEST(PhiloxTest, NormalIsFiniteAtTheEnds) {
  for (const std::uint64_t u : {0ULL, ~0ULL}) {
    for (const std::uint64_t v : {0ULL, ~0ULL}) {
      const RandomPair pair = normal_pair(uniform_double(u), uniform_double(v));
      EXPECT_TRUE(std::isfinite(pair.first) && std::isfinite(pair.second));
      float a = 0;
      float b = 0;
      normal_floats(static_cast<std::uint32_t>(u), static_cast<std::uint32_t>(v), a, b);
      EXPECT_TRUE(std::isfinite(a) && std::isfinite(b));
    }
  }
}

TEST(PhiloxTest, MomentsAreThoseOfTheDistributions) {
  constexpr int kBlocks = 100000;
  double uniform_sum = 0;
  double sum = 0;
  double square_sum = 0;
  for (int i = 0; i < kBlocks; ++i) {
    const RandomBlock block = random_block(7, static_cast<std::uint64_t>(i));
    uniform_sum += uniform_double(block.pair(0)) + uniform_double(block.pair(1));
    const RandomPair pair =
        normal_pair(uniform_double(block.pair(0)), uniform_double(block.pair(1)));
    sum += pair.first + pair.second;
    square_sum += pair.first * pair.first + pair.second * pair.second;
  }
  constexpr double kDraws = 2.0 * kBlocks;
  EXPECT_NEAR(uniform_sum / kDraws, 0.5, 6 * 0.2887 / std::sqrt(kDraws));  // 6 sigma
  EXPECT_NEAR(sum / kDraws, 0.0, 6 / std::sqrt(kDraws));
  EXPECT_NEAR(square_sum / kDraws, 1.0, 6 * std::sqrt(2.0 / kDraws));
}

TEST(PhiloxTest, BoundedNumbersCoverTheRange) {
  EXPECT_EQ(uniform_below(0, 10), 0U);
  EXPECT_EQ(uniform_below(~0ULL, 10), 9U);
  EXPECT_EQ(uniform_below(~0ULL, 1), 0U);
}

}  // namespace
}  // namespace mycel::platform
