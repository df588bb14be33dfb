// SPDX-License-Identifier: Apache-2.0
#include "trace/trace.h"

#include <algorithm>
#include <atomic>

#include <gtest/gtest.h>

#include "platform/thread/thread.h"

namespace mycel::trace {
namespace {

class TraceTest : public ::testing::Test {
 protected:
  void SetUp() override {
    stop();
    drain();
  }
  void TearDown() override { SetUp(); }
};

TEST_F(TraceTest, NothingIsRecordedWhileOff) {
  { const Span span("test", "off"); }
  counter("test", "off", 1);
  EXPECT_TRUE(drain().events.empty());
}

TEST_F(TraceTest, FullBufferLosesAndCounts) {
  start();
  for (int i = 0; i < 20000; ++i) counter("test", "many", i);
  const Drained drained = drain();
  EXPECT_GT(drained.lost, 0U);
  EXPECT_EQ(drained.events.size() + drained.lost, 20000U);
  counter("test", "after", 1);
  EXPECT_EQ(drain().events.size(), 1U);
}

TEST_F(TraceTest, SpansNestAndKeepTheirOrder) {
  start();
  {
    Span outer("test", "outer");
    outer.set_value(3);
    const Span inner("test", "inner");
  }
  counter("test", "depth", 2.5);
  const Drained drained = drain();
  ASSERT_EQ(drained.events.size(), 3U);
  EXPECT_EQ(drained.events[0].name, "outer");
  EXPECT_EQ(drained.events[0].value, 3);
  EXPECT_EQ(drained.events[1].name, "inner");
  EXPECT_LE(drained.events[1].end_ns, drained.events[0].end_ns);
  EXPECT_EQ(drained.events[2].kind, EventKind::Counter);
  EXPECT_EQ(drained.events[2].value, 2.5);
}

TEST_F(TraceTest, SpanOpenedBeforeStopIsStillClosed) {
  start();
  {
    const Span span("test", "across");
    stop();
  }
  EXPECT_EQ(drain().events.size(), 1U);
}

TEST_F(TraceTest, EndedThreadsLeaveTheirEvents) {
  start();
  platform::Thread thread("tracer", [](std::stop_token) { counter("test", "other", 1); });
  thread.join();
  const Drained drained = drain();
  ASSERT_EQ(drained.events.size(), 1U);
  EXPECT_EQ(drained.thread_names.at(drained.events[0].thread), "tracer");
}

TEST_F(TraceTest, DrainingWhileRecordingLosesNothing) {
  start();
  constexpr std::size_t kCount = 5000;
  std::size_t seen = 0;
  platform::Thread thread("tracer", [](std::stop_token) {
    for (std::size_t i = 0; i < kCount; ++i) counter("test", "live", static_cast<double>(i));
  });
  for (int i = 0; i < 10; ++i) seen += drain().events.size();
  thread.join();
  const Drained rest = drain();
  EXPECT_EQ(seen + rest.events.size() + rest.lost, kCount);
}

}  // namespace
}  // namespace mycel::trace
