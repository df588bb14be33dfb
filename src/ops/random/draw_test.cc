// SPDX-License-Identifier: Apache-2.0
#include "ops/random/draw.h"

#include <vector>

#include <gtest/gtest.h>

namespace mycel::ops {
namespace {

TEST(DrawTest, WordsAreThoseOfTheBlocks) {
  constexpr std::uint64_t kSeed = 0x0123456789abcdefULL;
  constexpr std::uint64_t kOffset = 0xfffffffdULL;  // the counter's upper half changes on the way
  std::vector<std::uint32_t> words(4 * 21);
  draw_words(kSeed, kOffset, 8, static_cast<std::int64_t>(words.size()), words.data());
  for (std::size_t block = 0; block < words.size() / 4; ++block) {
    const platform::RandomBlock expected = platform::random_block(kSeed, kOffset + 2 + block);
    for (std::size_t k = 0; k < 4; ++k) EXPECT_EQ(words[4 * block + k], expected.word[k]) << block;
  }
}

}  // namespace
}  // namespace mycel::ops
