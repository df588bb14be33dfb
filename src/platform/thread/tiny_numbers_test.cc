// SPDX-License-Identifier: Apache-2.0
#include "platform/thread/tiny_numbers.h"

#include <atomic>

#include <gtest/gtest.h>

#include "platform/thread/parallel_for.h"

namespace mycel::platform {
namespace {

TEST(TinyNumbersTest, AreZeroWhileAScopeLives) {
  volatile float small = 1e-30F, smaller = 1e-10F;
  {
    const TinyNumbersAreZero scope;
    EXPECT_EQ(small * smaller, 0.0F);
    EXPECT_NE(small, 0.0F);
  }
  EXPECT_NE(small * smaller, 0.0F);
}

TEST(TinyNumbersTest, ScopesNest) {
  volatile float small = 1e-30F, smaller = 1e-10F;
  const TinyNumbersAreZero outer;
  { const TinyNumbersAreZero inner; }
  EXPECT_EQ(small * smaller, 0.0F);
}

// In how many ranges the product of two small numbers is not zero.
int ranges_that_keep() {
  std::atomic<int> kept = 0;
  parallel_for(64, kInlineElements, [&](std::int64_t begin, std::int64_t) {
    volatile float small = 1e-30F, smaller = 1e-10F + static_cast<float>(begin) * 0.0F;
    kept += small * smaller != 0.0F;
  });
  return kept;
}

#if !defined(__SANITIZE_THREAD__)  // there every range has a thread of its own
TEST(TinyNumbersTest, AreZeroOnAllThreadsOfATeam) {
  EXPECT_GT(ranges_that_keep(), 0);
  {
    const TinyNumbersAreZero scope(compute_threads());
    EXPECT_EQ(ranges_that_keep(), 0);
  }
  EXPECT_EQ(ranges_that_keep(), compute_threads());
}
#endif

}  // namespace
}  // namespace mycel::platform
