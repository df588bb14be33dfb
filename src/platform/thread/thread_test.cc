// SPDX-License-Identifier: Apache-2.0
#include "platform/thread/thread.h"

#include <atomic>
#include <condition_variable>
#include <future>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include <gtest/gtest.h>
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

#include "platform/error/error.h"
#include "platform/thread/bounded_queue.h"
#include "platform/thread/parallel_for.h"

namespace mycel::platform {
namespace {

TEST(ThreadTest, JoinRethrowsWhatTheBodyThrew) {
  Thread thread("thrower", [](const std::stop_token&) { fail(ErrorKind::Value, "no"); });
  EXPECT_THROW(thread.join(), Error);
  EXPECT_FALSE(thread.joinable());
}

TEST(ThreadTest, DestructionStopsAWaitingBody) {
  std::atomic<bool> stopped = false;
  {
    Thread thread("waiter", [&](const std::stop_token& stop) {
      std::mutex mutex;
      std::condition_variable_any never;
      std::unique_lock lock(mutex);
      never.wait(lock, stop, [] { return false; });
      stopped = stop.stop_requested();
    });
  }
  EXPECT_TRUE(stopped);
}

TEST(ThreadTest, NameReachesTheSystem) {
  std::string seen;
  Thread thread("a name longer than fits", [&](const std::stop_token&) {
    char name[32] = {};
    pthread_getname_np(pthread_self(), name, sizeof name);
    seen = name;
  });
  thread.join();
  EXPECT_EQ(seen, "a name longer t");
  EXPECT_EQ(thread.name(), "a name longer than fits");
}

TEST(ThreadTest, MovedFromThreadIsEmpty) {
  Thread first("one", [](const std::stop_token&) {});
  const Thread second = std::move(first);
  EXPECT_FALSE(first.joinable());  // NOLINT: what is tested
  EXPECT_EQ(second.name(), "one");
}

TEST(ThreadTest, AThreadThatDestroysItsOwnObjectGoesOn) {
  struct Owner {
    std::unique_ptr<Thread> thread;
  };
  auto owner = std::make_shared<Owner>();
  std::promise<void> begun;
  std::promise<bool> ended;
  std::future<bool> stopped = ended.get_future();
  owner->thread = std::make_unique<Thread>(
      "owner", [owner, go = begun.get_future().share(), &ended](const std::stop_token& stop) {
        go.wait();
        owner->thread.reset();
        ended.set_value(stop.stop_requested());
      });
  owner.reset();  // the thread has the last share
  begun.set_value();
  EXPECT_TRUE(stopped.get());
}

TEST(ThreadTest, AThreadThatIsLetGoIsAskedToStop) {
  std::promise<void> ended;
  Thread thread("free", [&](const std::stop_token& stop) {
    while (!stop.stop_requested()) std::this_thread::yield();
    ended.set_value();
  });
  thread.let_go();
  EXPECT_FALSE(thread.joinable());
  ended.get_future().wait();
}

TEST(ThreadTest, AChildHasAForkNumberOfItsOwn) {
  const std::uint64_t here = fork_number();
  const pid_t child = fork();
  if (child == 0) _exit(fork_number() == here + 1 ? 0 : 1);
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(fork_number(), here);
}

TEST(BoundedQueueTest, StoppedPushDropsTheItem) {
  BoundedQueue<int> queue(1);
  std::stop_source stop;
  EXPECT_TRUE(queue.push(1, stop.get_token()));
  stop.request_stop();
  EXPECT_FALSE(queue.push(2, stop.get_token()));
  EXPECT_EQ(queue.size(), 1U);
}

TEST(BoundedQueueTest, StoppedPopOfAnEmptyQueueGivesNothing) {
  BoundedQueue<int> queue(1);
  std::stop_source stop;
  stop.request_stop();
  EXPECT_FALSE(queue.pop(stop.get_token()));
}

TEST(BoundedQueueTest, ClosedQueueIsDrainedThenEmpty) {
  BoundedQueue<int> queue(4);
  queue.push(1);
  queue.push(2);
  queue.close();
  EXPECT_FALSE(queue.push(3));
  EXPECT_EQ(queue.pop(), 1);
  EXPECT_EQ(queue.pop(), 2);
  EXPECT_FALSE(queue.pop());
}

TEST(BoundedQueueTest, TryPushLeavesTheItemWhenFull) {
  BoundedQueue<std::unique_ptr<int>> queue(1);
  auto a = std::make_unique<int>(1);
  auto b = std::make_unique<int>(2);
  EXPECT_TRUE(queue.try_push(a));
  EXPECT_FALSE(queue.try_push(b));
  EXPECT_EQ(*b, 2);
  EXPECT_EQ(**queue.try_pop(), 1);
  EXPECT_FALSE(queue.try_pop());
}

TEST(BoundedQueueTest, EveryItemArrivesOnceFromManyThreads) {
  constexpr int kItems = 1000;
  BoundedQueue<int> queue(3);
  std::atomic<long> sum = 0;
  {
    std::vector<Thread> readers;
    readers.reserve(3);
    for (int k = 0; k < 3; ++k) {
      readers.emplace_back("reader", [&](const std::stop_token&) {
        while (const auto item = queue.pop()) sum += *item;
      });
    }
    std::vector<Thread> writers;
    writers.reserve(3);
    for (int k = 0; k < 3; ++k) {
      writers.emplace_back("writer", [&](const std::stop_token&) {
        for (int i = 1; i <= kItems; ++i) queue.push(i);
      });
    }
    for (Thread& writer : writers) writer.join();
    queue.close();
    for (Thread& reader : readers) reader.join();
  }
  EXPECT_EQ(sum, 3L * kItems * (kItems + 1) / 2);
}

TEST(ParallelForTest, ExceptionsReachTheCaller) {
  EXPECT_THROW(
      parallel_for(1 << 20, 1, [](std::int64_t, std::int64_t) { fail(ErrorKind::Index, "bad"); }),
      Error);
}

TEST(ParallelForTest, EveryIndexIsVisitedOnce) {
  for (const std::int64_t count : {0L, 1L, 7L, 100000L}) {
    std::vector<int> visits(static_cast<std::size_t>(count), 0);
    parallel_for(count, 1, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i) ++visits[static_cast<std::size_t>(i)];
    });
    for (const int visit : visits) ASSERT_EQ(visit, 1);
  }
}

}  // namespace
}  // namespace mycel::platform
