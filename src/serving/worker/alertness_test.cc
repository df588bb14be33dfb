// SPDX-License-Identifier: Apache-2.0
#include "serving/worker/alertness.h"

#include <gtest/gtest.h>

namespace mycel::serving {
namespace {

using std::chrono_literals::operator""us;

// Lets something come after so long; whether it was looked for when it came.
bool is_seen(Alertness& alertness, std::chrono::microseconds after) {
  const auto when = Alertness::Clock::now() + after;
  bool has_slept = false;
  alertness.wait([when] { return Alertness::Clock::now() >= when; },
                 [&] {
                   has_slept = true;
                   std::this_thread::sleep_until(when);
                 });
  return !has_slept;
}

TEST(AlertnessTest, LooksWhileThingsComeSoon) {
  if (std::thread::hardware_concurrency() < 2) GTEST_SKIP() << "there is one processor";
  Alertness alertness;
  int seen = 0;
  for (int i = 0; i < 10'000; ++i) seen += is_seen(alertness, 0us) ? 1 : 0;
  EXPECT_GT(seen, 0);
}

TEST(AlertnessTest, SleepsWhenTheyDoNot) {
  Alertness alertness;
  for (int i = 0; i < 20; ++i) is_seen(alertness, 0us);
  // It learns that within a few.
  for (int i = 0; i < 8; ++i) is_seen(alertness, 10 * Alertness::kSoon);
  for (int i = 0; i < 8; ++i) EXPECT_FALSE(is_seen(alertness, 10 * Alertness::kSoon));
}

}  // namespace
}  // namespace mycel::serving
