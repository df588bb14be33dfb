// SPDX-License-Identifier: Apache-2.0
#include "data/pipeline/cached_stage.h"

#include <atomic>
#include <numeric>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "data/feed/row_feed.h"
#include "data/lent_array.h"
#include "data/pipeline/batch_stage.h"
#include "data/pipeline/fake_cache_client.h"
#include "data/pipeline/map_stage.h"
#include "data/pipeline/order_stages.h"
#include "data/pipeline/row_stream.h"
#include "data/pipeline/source_stages.h"
#include "data/source/array_source.h"

namespace mycel::data {
namespace {

using testing::Each;
using testing::ElementsAre;
using testing::ElementsAreArray;
using testing::HasSubstr;
using Numbers = std::vector<std::int64_t>;

Tensor counting(std::int64_t rows) {
  Tensor tensor = Tensor::empty({rows}, DType::Int64);
  auto* values = static_cast<std::int64_t*>(tensor.raw());
  std::iota(values, values + rows, 0);
  return tensor;
}

StagePtr source(std::int64_t rows, SamplerPtr sampler = sequential_sampler(0, 0)) {
  return std::make_shared<IndexedStage>(
      "source", array_source({"x"}, {MemoryColumn(counting(rows))}), std::move(sampler));
}

// Adds 100, counts how often, and fails for one value.
class Add : public Transform {
 public:
  explicit Add(std::shared_ptr<std::atomic<int>> calls, std::int64_t bad = -1)
      : calls_(std::move(calls)), bad_(bad) {}
  std::string name() const override { return "Add"; }
  void apply(Items& items, TransformContext& context) const override {
    ++*calls_;
    const std::int64_t value = *static_cast<const std::int64_t*>(items[0].array().raw());
    if (value == bad_) platform::fail(ErrorKind::Value, "bad value");
    Tensor made = context.output(DType::Int64, {});
    *static_cast<std::int64_t*>(made.raw()) = value + 100;
    items[0] = made;
  }

 private:
  std::shared_ptr<std::atomic<int>> calls_;
  std::int64_t bad_;
};

class CachedStageTest : public testing::Test {
 protected:
  std::shared_ptr<RowCache> cache(CacheFailure on_failure = CacheFailure::Raise) {
    return std::make_shared<RowCache>(std::make_unique<FakeCacheClient>(shared), on_failure, 4);
  }
  StagePtr mapped(StagePtr child, std::int64_t bad = -1) const {
    const MapColumns columns(child->columns(), {"x"}, {});
    auto step = transform_step(columns, {{std::make_shared<Add>(calls, bad), 0}}, 1);
    return map_stage(std::move(child), std::move(step), columns, {.name = "Map(Add)"});
  }
  // All rows; -1 at the end of an epoch.
  static Numbers run(StagePtr root, StreamOptions options = {.epochs = 1}) {
    RowStream stream(std::move(root), options);
    Numbers seen;
    while (true) {
      Row row;
      const Pulled pulled = stream.next(row);
      if (pulled == Pulled::EndOfData) return seen;
      if (pulled == Pulled::EndOfEpoch) {
        seen.push_back(-1);
        continue;
      }
      const Tensor& array = row.items[0].array();
      const auto* values = static_cast<const std::int64_t*>(array.raw());
      seen.insert(seen.end(), values, values + array.size());
    }
  }
  static Numbers range(std::int64_t first, std::int64_t rows) {
    Numbers numbers(static_cast<std::size_t>(rows));
    std::iota(numbers.begin(), numbers.end(), first);
    return numbers;
  }

  std::shared_ptr<FakeCache> shared = std::make_shared<FakeCache>();
  std::shared_ptr<std::atomic<int>> calls = std::make_shared<std::atomic<int>>(0);
};

TEST_F(CachedStageTest, LostServerIsAnErrorOfTheReader) {
  shared->failure = "server gone";
  try {
    run(cached_stage(source(5), cache(), {}));
    FAIL();
  } catch (const platform::Error& error) {
    EXPECT_EQ(error.message(), "server gone");
  }
}

TEST_F(CachedStageTest, LostServerCanBeBypassed) {
  shared->failure = "server gone";
  EXPECT_THAT(run(cached_stage(mapped(source(50)), cache(CacheFailure::Bypass), {})),
              ElementsAreArray(range(100, 50)));
}

TEST_F(CachedStageTest, SecondEpochDoesNoWork) {
  for (const std::size_t workers : {1, 4}) {
    shared = std::make_shared<FakeCache>();
    *calls = 0;
    const Numbers seen =
        run(cached_stage(mapped(source(200)), cache(), {}), {.epochs = 3, .workers = workers});
    Numbers expected;
    for (int epoch = 0; epoch < 3; ++epoch) {
      const Numbers one = range(100, 200);
      expected.insert(expected.end(), one.begin(), one.end());
      if (epoch < 2) expected.push_back(-1);
    }
    EXPECT_EQ(seen, expected);
    EXPECT_EQ(*calls, 200);
    EXPECT_EQ(shared->offers, 200);
  }
}

TEST_F(CachedStageTest, OrderIsChosenAboveTheCache) {
  EXPECT_THAT(run(cached_stage(source(10), cache(), {})), ElementsAreArray(range(0, 10)));
  const Numbers rows{9, 3, 3, 0};
  EXPECT_THAT(run(cached_stage(source(10, subset_sampler(rows, 0)), cache(), {})),
              ElementsAreArray(rows));
  EXPECT_EQ(shared->offers, 10);
}

TEST_F(CachedStageTest, BatchesAreTheSameFromCacheAndSource) {
  BatchOptions options;
  options.size = 4;
  for (int round = 0; round < 2; ++round) {
    auto batch =
        std::make_shared<BatchStage>(cached_stage(mapped(source(10)), cache(), {}), options);
    EXPECT_THAT(run(batch, {.epochs = 1, .workers = 2}), ElementsAreArray(range(100, 10)));
  }
  EXPECT_EQ(*calls, 10);
}

TEST_F(CachedStageTest, FullCacheTakesWhatFits) {
  shared->most_rows = 3;
  for (int round = 0; round < 2; ++round)
    EXPECT_THAT(run(cached_stage(mapped(source(10)), cache(), {})),
                ElementsAreArray(range(100, 10)));
  EXPECT_EQ(shared->rows.size(), 3U);
}

TEST_F(CachedStageTest, BadRowsAreNotStored) {
  const CachedOptions skip{.bad_rows = BadRows::Skip};
  EXPECT_THAT(run(cached_stage(mapped(source(4), 2), cache(), skip)), ElementsAre(100, 101, 103));
  EXPECT_EQ(shared->rows.size(), 3U);
  EXPECT_THROW(run(cached_stage(mapped(source(4), 2), cache(), {})), platform::Error);
}

TEST_F(CachedStageTest, MapAboveReadsRowsWhereTheyLie) {
  for (int round = 0; round < 2; ++round)
    EXPECT_THAT(run(mapped(cached_stage(mapped(source(5)), cache(), {.in_order = round == 0}))),
                ElementsAreArray(range(200, 5)));
}

TEST_F(CachedStageTest, RowsThatLeaveThePipelineMayBeWritten) {
  run(cached_stage(source(3), cache(), {}));
  RowFeed feed(std::make_shared<RowStream>(cached_stage(source(3), cache(), {}),
                                           StreamOptions{.epochs = 1}));
  std::vector<Tensor> row;
  while (feed.next(row)) EXPECT_FALSE(is_lent(row[0]));
}

TEST_F(CachedStageTest, StreamIsStoredBeforeTheFirstRow) {
  const StagePtr shuffled =
      cached_stream_stage(mapped(source(20)), cache(), random_sampler(3, false, 0, true));
  Numbers seen = run(shuffled, {.epochs = 2});
  EXPECT_EQ(*calls, 20);
  ASSERT_EQ(seen.size(), 41U);
  const Numbers first(seen.begin(), seen.begin() + 20);
  const Numbers second(seen.begin() + 21, seen.end());
  EXPECT_NE(first, second);
  EXPECT_THAT(first, testing::UnorderedElementsAreArray(range(100, 20)));
  EXPECT_THAT(second, testing::UnorderedElementsAreArray(range(100, 20)));
  const auto shard = distributed_sampler({.shards = 2, .shard = 1, .shuffle = false});
  EXPECT_THAT(run(cached_stream_stage(mapped(source(20)), cache(), shard)),
              ElementsAre(101, 103, 105, 107, 109, 111, 113, 115, 117, 119));
  EXPECT_EQ(*calls, 20);
}

TEST_F(CachedStageTest, FailedBuildFreesTheTurn) {
  EXPECT_THROW(run(cached_stream_stage(mapped(source(9), 5), cache(), sequential_sampler(0, 0))),
               platform::Error);
  EXPECT_FALSE(shared->is_building);
  EXPECT_THAT(run(cached_stream_stage(mapped(source(3)), cache(), sequential_sampler(0, 0))),
              ElementsAre(100, 101, 102));
}

TEST_F(CachedStageTest, TurnThatWasLostBeginsAnew) {
  for (const std::uint64_t at : {0, 5, 9}) {
    shared = std::make_shared<FakeCache>();
    shared->lose_turn_at = at;
    EXPECT_THAT(run(cached_stream_stage(mapped(source(9)), cache(), sequential_sampler(0, 0)),
                    {.epochs = 1, .workers = 3}),
                ElementsAreArray(range(100, 9)));
  }
}

TEST_F(CachedStageTest, RowsOfWhoeverTookTheTurnAreRead) {
  shared->lose_turn_at = 4;
  shared->is_built_by_another = true;
  EXPECT_THAT(run(cached_stream_stage(mapped(source(9)), cache(), sequential_sampler(0, 0))),
              ElementsAreArray(range(100, 4)));
}

struct Interrupted {};

TEST_F(CachedStageTest, ReaderThatWaitsForAnotherBuilderCanBeInterrupted) {
  shared->is_building = true;
  const auto interrupt = [] { throw Interrupted(); };
  EXPECT_THROW(run(cached_stream_stage(source(9), cache(), sequential_sampler(0, 0)),
                   {.epochs = 1, .threads = false, .attend = interrupt}),
               Interrupted);
}

TEST_F(CachedStageTest, ReaderThatBuildsCanBeInterrupted) {
  const auto interrupt = [] { throw Interrupted(); };
  const StagePtr endless = repeat_stage(source(9), -1);
  EXPECT_THROW(run(cached_stream_stage(endless, cache(), sequential_sampler(0, 0)),
                   {.epochs = 1, .threads = false, .attend = interrupt}),
               Interrupted);
  EXPECT_FALSE(shared->is_building);
}

TEST_F(CachedStageTest, StreamWithoutRoomIsAnError) {
  shared->most_rows = 3;
  EXPECT_THROW(run(cached_stream_stage(source(9), cache(), sequential_sampler(0, 0))),
               platform::Error);
}

TEST_F(CachedStageTest, RowThatIsGoneFromAStreamIsAnError) {
  run(cached_stream_stage(source(4), cache(), sequential_sampler(0, 0)));
  const StagePtr again = cached_stream_stage(source(4), cache(), subset_sampler(Numbers{1, 2}, 0));
  shared->rows.erase(2);
  shared->rows[7] = shared->rows[1];
  EXPECT_THROW(run(again), platform::Error);
}

}  // namespace
}  // namespace mycel::data
