// SPDX-License-Identifier: Apache-2.0
#include "data/pipeline/row_stream.h"

#include <atomic>
#include <barrier>
#include <chrono>
#include <fstream>
#include <functional>
#include <future>
#include <latch>
#include <memory>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "data/pipeline/batch_stage.h"
#include "data/pipeline/map_stage.h"
#include "data/pipeline/order_stages.h"
#include "data/pipeline/source_stages.h"
#include "device/pool.h"

namespace mycel::data {
namespace {

using std::chrono::milliseconds;

// Rows of a fixed size; `before(row)` runs where user code would.
class TestSource : public IndexedSource {
 public:
  using Before = std::function<void(std::int64_t row)>;
  TestSource(std::int64_t rows, std::int64_t bytes, Before before = {})
      : rows_(rows), bytes_(bytes), before_(std::move(before)) {}
  std::vector<std::string> columns() const override { return {"x"}; }
  std::int64_t rows() const override { return rows_; }
  void load(std::int64_t row, LoadedRow& out) const override {
    if (before_) before_(row);
    Tensor made = Tensor::empty({bytes_}, DType::UInt8);
    static_cast<unsigned char*>(made.raw())[0] = static_cast<unsigned char>(row);
    out.items = {made};
  }

 private:
  std::int64_t rows_;
  std::int64_t bytes_;
  Before before_;
};

enum class Order : std::uint8_t { Any, InOrder };

StagePtr source(std::int64_t rows, std::int64_t bytes, Order order = Order::Any,
                TestSource::Before before = {}) {
  return std::make_shared<IndexedStage>(
      "source", std::make_shared<TestSource>(rows, bytes, std::move(before)),
      sequential_sampler(0, 0), order == Order::InOrder);
}

StagePtr batched(StagePtr child, std::int64_t size) {
  BatchOptions batch;
  batch.size = size;
  return std::make_shared<BatchStage>(std::move(child), batch);
}

// Doubles a row, so that two of them are needed at once.
class Copy : public Transform {
 public:
  std::string name() const override { return "Copy"; }
  void apply(Items& items, TransformContext& context) const override {
    const Tensor before = items[0].array();
    Tensor made = context.output(before.dtype(), before.shape());
    static_cast<unsigned char*>(made.raw())[0] = static_cast<unsigned char*>(before.raw())[0];
    items[0] = made;
  }
};

StagePtr mapped(StagePtr child, TransformPtr transform, bool in_order = false) {
  const MapColumns columns(child->columns(), {}, {});
  return map_stage(std::move(child), transform_step(columns, listed({std::move(transform)}), 7),
                   columns, {"map", BadRows::Raise, in_order});
}

std::int64_t count_rows(RowStream& stream, const std::function<void()>& between = {}) {
  std::int64_t rows = 0;
  Row row;
  while (stream.next(row) == Pulled::Row) {
    ++rows;
    if (between) between();
  }
  return rows;
}

void wait_until(const std::function<bool()>& ready) {
  while (!ready()) std::this_thread::sleep_for(milliseconds(1));
}

// A reader that is away while the bytes run out, and then asks.
TEST(RowStreamTest, AFullQueueAndAReaderDoNotWaitForEachOther) {
  for (const Order order : {Order::Any, Order::InOrder}) {
    RowStream stream(batched(source(200, 1000, order), 10),
                     {.epochs = 1, .workers = 2, .ahead_bytes = 25'000});
    wait_until([&] { return stream.ready() >= 2; });
    EXPECT_EQ(count_rows(stream, [] { std::this_thread::sleep_for(milliseconds(1)); }), 20);
  }
}

TEST(RowStreamTest, TheDriverFillsTheQueueWhileNobodyReads) {
  for (const Order order : {Order::Any, Order::InOrder}) {
    RowStream stream(source(100, 10, order), {.epochs = 1, .ahead = 7});
    wait_until([&] { return stream.ready() == 7; });
    Row row;
    EXPECT_EQ(stream.next(row), Pulled::Row);
    EXPECT_EQ(static_cast<unsigned char*>(row.items[0].array().raw())[0], 0);
    EXPECT_EQ(count_rows(stream), 99);
  }
}

// Bytes of arrays in use, over all pipelines.
class PeakMemory {
 public:
  PeakMemory() : before_(device::memory_statistics({}).in_use) {
    device::reset_peak_statistics({});
  }
  std::size_t bytes() const { return device::memory_statistics({}).peak_in_use - before_; }

 private:
  std::size_t before_;
};

// Whatever the pipeline looks like, it holds its budget and what the reader gets next; the reader
// itself has one more.
TEST(RowStreamTest, MemoryStaysWithinTheBudgetAndOneBatch) {
  constexpr std::int64_t kRow = 1 << 20;
  constexpr std::size_t kBudget = 5 << 19;  // two rows and a half
  struct Case {
    const char* name;
    std::function<StagePtr()> make;
    std::int64_t result;  // bytes of what the reader gets
  };
  const auto copied = [](StagePtr child, bool in_order = false) {
    return mapped(std::move(child), std::make_shared<Copy>(), in_order);
  };
  const std::vector<Case> cases = {
      {"rows", [&] { return source(40, kRow); }, kRow},
      {"rows in order", [&] { return source(40, kRow, Order::InOrder); }, kRow},
      {"map", [&] { return copied(source(40, kRow)); }, kRow},
      {"map in order", [&] { return copied(source(40, kRow, Order::InOrder), true); }, kRow},
      {"map of rows in order", [&] { return copied(source(40, kRow, Order::InOrder)); }, kRow},
      {"batch", [&] { return batched(source(40, kRow), 4); }, 4 * kRow},
      {"batch of one", [&] { return batched(copied(source(40, kRow), true), 1); }, kRow},
      {"batch in order", [&] { return batched(source(40, kRow, Order::InOrder), 4); }, 4 * kRow},
      {"batch of a map", [&] { return batched(copied(source(40, kRow)), 4); }, 4 * kRow},
      {"batch of a map in order", [&] { return batched(copied(source(40, kRow), true), 4); },
       4 * kRow},
      {"zip",
       [&] {
         return zip_stage({source(40, kRow), rename_stage(source(40, kRow), {"x"}, {"y"})});
       },
       2 * kRow},
      {"batch of a concat",
       [&] {
         return batched(concat_stage({source(20, kRow), source(20, kRow)}), 4);
       },
       4 * kRow},
  };
  for (const Case& one : cases) {
    const PeakMemory peak;
    {
      RowStream stream(one.make(),
                       {.epochs = 1, .workers = 4, .ahead = 16, .ahead_bytes = kBudget});
      count_rows(stream, [] { std::this_thread::sleep_for(milliseconds(3)); });
    }
    EXPECT_LE(peak.bytes(), kBudget + static_cast<std::size_t>(2 * one.result)) << one.name;
  }
}

TEST(RowStreamTest, NothingIsChargedWhenAllWasGiven) {
  RowStream stream(
      batched(shuffle_stage(mapped(source(30, 1000), std::make_shared<Copy>(), true), 8, 1, false),
              4),
      {.epochs = 1, .workers = 3});
  EXPECT_EQ(count_rows(stream), 8);
  EXPECT_EQ(stream.held_bytes(), 0U);
}

TEST(RowStreamTest, StagesMayOutliveTheirStream) {
  const StagePtr stage =
      batched(repeat_stage(mapped(source(20, 1000), std::make_shared<Copy>()), -1), 3);
  {
    RowStream stream(stage, {.epochs = -1, .workers = 3});
    Row row;
    EXPECT_EQ(stream.next(row), Pulled::Row);
  }
  EXPECT_EQ(stage->columns().size(), 1U);
}

TEST(RowStreamTest, AFailureComesAfterTheRowsBeforeItAndAgain) {
  for (const Order order : {Order::Any, Order::InOrder}) {
    RowStream stream(source(10, 8, order,
                            [](std::int64_t row) {
                              if (row == 4) platform::fail(ErrorKind::Runtime, "bad");
                            }),
                     {.epochs = 1, .workers = 3});
    Row row;
    for (int i = 0; i < 4; ++i) EXPECT_EQ(stream.next(row), Pulled::Row);
    EXPECT_THROW(stream.next(row), platform::Error);
    EXPECT_TRUE(stream.failed());
    EXPECT_THROW(stream.next(row), platform::Error);
    stream.stop();
    EXPECT_EQ(stream.next(row), Pulled::EndOfData);
    EXPECT_EQ(stream.held_bytes(), 0U);
  }
}

TEST(RowStreamTest, StopMayBeCalledByManyAtOnce) {
  for (int round = 0; round < 20; ++round) {
    RowStream stream(repeat_stage(source(10, 8), -1), {.epochs = -1, .workers = 3});
    std::barrier together(4);
    std::vector<std::jthread> threads;
    threads.reserve(3);
    for (int i = 0; i < 3; ++i)
      threads.emplace_back([&] {
        together.arrive_and_wait();
        stream.stop();
        Row row;
        EXPECT_EQ(stream.next(row), Pulled::EndOfData);
      });
    together.arrive_and_wait();
    stream.stop();
  }
}

// Where code of users runs: on threads of the pool, on the driver, on the reader's.
struct Place {
  const char* name;
  Order order;
  bool reads;  // a reader asks for the row
};
constexpr Place kPlaces[] = {{"pool", Order::Any, false},
                             {"driver", Order::InOrder, false},
                             {"reader", Order::InOrder, true}};

TEST(RowStreamTest, StopMayBeCalledByItsOwnThreads) {
  for (const Place& place : kPlaces) {
    std::promise<RowStream*> made;
    std::shared_future<RowStream*> stream_made = made.get_future().share();
    std::atomic<int> stopped = 0;
    RowStream stream(source(100, 8, place.order,
                            [&](std::int64_t row) {
                              if (row != 3) return;
                              stream_made.get()->stop();
                              stream_made.get()->stop();
                              ++stopped;
                            }),
                     {.epochs = 1, .workers = 2});
    if (!place.reads) made.set_value(&stream);
    Row row;
    if (place.reads) {
      made.set_value(&stream);
      while (stream.next(row) == Pulled::Row) {
      }
    }
    wait_until([&] { return stopped == 1; });
    EXPECT_EQ(stream.next(row), Pulled::EndOfData) << place.name;
    stream.stop();
  }
}

TEST(RowStreamTest, ItMayBeDestroyedByItsOwnThreads) {
  for (const Place& place : kPlaces) {
    if (place.reads) continue;  // a reader has it as long as it reads
    auto held = std::make_shared<std::unique_ptr<RowStream>>();
    std::promise<void> made;
    std::promise<void> destroyed;
    *held = std::make_unique<RowStream>(
        source(100, 8, place.order,
               [&, ready = made.get_future().share()](std::int64_t row) {
                 if (row != 3) return;
                 ready.wait();
                 held->reset();
                 destroyed.set_value();
               }),
        StreamOptions{.epochs = 1, .workers = 2});
    made.set_value();
    destroyed.get_future().wait();
    EXPECT_TRUE(wait_for_dropped_streams(milliseconds(10'000))) << place.name;
  }
}

// The mutexes and threads are the parent's: a child may only forget them.
TEST(RowStreamTest, AForkedChildMayDropIt) {
  for (int round = 0; round < 10; ++round) {
    auto stream = std::make_unique<RowStream>(
        batched(mapped(repeat_stage(source(50, 100), -1), std::make_shared<Copy>()), 4),
        StreamOptions{.epochs = -1, .workers = 3});
    Row row;
    EXPECT_EQ(stream->next(row), Pulled::Row);
    const pid_t child = fork();
    if (child == 0) {
      alarm(20);
      bool refused = false;
      try {
        stream->next(row);
      } catch (const platform::Error&) {
        refused = true;
      }
      stream->stop();
      stream.reset();
      _exit(refused ? 0 : 1);
    }
    int status = -1;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
    EXPECT_EQ(stream->next(row), Pulled::Row);
  }
}

struct Interrupted {};

TEST(RowStreamTest, AReadersAttentionEndsItsWaitForTheDriver) {
  std::latch end(1);
  RowStream stream(source(10, 8, Order::Any,
                          [&](std::int64_t row) {
                            if (row == 2) end.wait();
                          }),
                   {.epochs = 1, .workers = 2, .attend = [] { throw Interrupted(); }});
  Row row;
  int rows = 0;
  int interruptions = 0;
  while (true) try {
      if (stream.next(row) != Pulled::Row) break;
      ++rows;
    } catch (const Interrupted&) {
      EXPECT_FALSE(stream.failed());  // the pipeline itself is well
      if (++interruptions == 1) end.count_down();
    }
  EXPECT_EQ(rows, 10);
  EXPECT_GE(interruptions, 1);
}

class WaitAt : public Transform {
 public:
  WaitAt(unsigned char value, std::latch& end) : value_(value), end_(end) {}
  std::string name() const override { return "WaitAt"; }
  void apply(Items& items, TransformContext&) const override {
    if (static_cast<unsigned char*>(items[0].array().raw())[0] == value_) end_.wait();
  }

 private:
  unsigned char value_;
  std::latch& end_;
};

TEST(RowStreamTest, AReadersAttentionEndsItsWaitsInsideStages) {
  std::latch end(1);
  {
    // Rows are made in order, by the reader; what follows is done by the pool.
    RowStream stream(mapped(source(10, 8, Order::InOrder), std::make_shared<WaitAt>(2, end)),
                     {.epochs = 1, .workers = 2, .attend = [] { throw Interrupted(); }});
    Row row;
    EXPECT_THROW(while (stream.next(row) == Pulled::Row){}, Interrupted);
    EXPECT_TRUE(stream.failed());
    end.count_down();
  }
}

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)  // they need all addresses
TEST(RowStreamTest, TooManyThreadsAreAnErrorThatSaysSo) {
  // Threads need addresses for their stacks.
  rlimit before{};
  getrlimit(RLIMIT_AS, &before);
  std::ifstream statistics("/proc/self/statm");
  std::size_t pages = 0;
  statistics >> pages;
  const rlimit few{pages * static_cast<std::size_t>(sysconf(_SC_PAGESIZE)) + (100U << 20),
                   before.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_AS, &few), 0);
  std::string text;
  try {
    RowStream stream(source(10, 8), {.epochs = 1, .workers = 1000});
  } catch (const platform::Error& error) {
    text = error.message();
  }
  setrlimit(RLIMIT_AS, &before);
  EXPECT_THAT(text, testing::HasSubstr("of 1000 of a data pipeline cannot be started"));
}
#endif

}  // namespace
}  // namespace mycel::data
