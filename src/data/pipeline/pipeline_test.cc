// SPDX-License-Identifier: Apache-2.0
#include <atomic>
#include <chrono>
#include <functional>
#include <numeric>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "data/feed/row_feed.h"
#include "data/pipeline/batch_stage.h"
#include "data/pipeline/bucket_stage.h"
#include "data/pipeline/iterated_stage.h"
#include "data/pipeline/map_stage.h"
#include "data/pipeline/order_stages.h"
#include "data/pipeline/row_stream.h"
#include "data/pipeline/source_stages.h"
#include "data/source/array_source.h"

namespace mycel::data {
namespace {

using testing::ElementsAre;
using Numbers = std::vector<std::int64_t>;

Tensor counting(std::int64_t rows) {
  Tensor tensor = Tensor::empty({rows}, DType::Int64);
  auto* values = static_cast<std::int64_t*>(tensor.raw());
  std::iota(values, values + rows, 0);
  return tensor;
}

StagePtr source(std::int64_t rows, const std::string& column = "x") {
  return std::make_shared<IndexedStage>(
      "source", array_source({column}, {MemoryColumn(counting(rows))}), sequential_sampler(0, 0));
}

Numbers values_of(const Item& item) {
  const auto* values = static_cast<const std::int64_t*>(item.array().raw());
  return {values, values + item.array().size()};
}

// All rows of some epochs; -1 marks the end of an epoch.
Numbers run(StagePtr root, StreamOptions options = {.epochs = 1}) {
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
    for (const std::int64_t value : values_of(row.items[0])) seen.push_back(value);
  }
}

// Adds a random number below 1000 to a value, now and then slowly.
class AddRandom : public Transform {
 public:
  std::string name() const override { return "AddRandom"; }
  bool is_random() const override { return true; }
  void apply(Items& items, TransformContext& context) const override {
    const std::int64_t value = values_of(items[0])[0];
    if (value % 7 == 0) std::this_thread::sleep_for(std::chrono::microseconds(300));
    Tensor made = context.output(DType::Int64, {});
    *static_cast<std::int64_t*>(made.raw()) = value * 1000 + context.random.integer(0, 999);
    items[0] = made;
  }
};

class FailAt : public Transform {
 public:
  explicit FailAt(std::set<std::int64_t> values) : values_(std::move(values)) {}
  std::string name() const override { return "FailAt"; }
  void apply(Items& items, TransformContext&) const override {
    if (values_.contains(values_of(items[0])[0])) platform::fail(ErrorKind::Value, "bad value");
  }

 private:
  std::set<std::int64_t> values_;
};

StagePtr mapped(StagePtr child, TransformPtr transform, BadRows bad_rows = BadRows::Raise) {
  const MapColumns columns(child->columns(), {}, {});
  return map_stage(std::move(child), transform_step(columns, listed({std::move(transform)}), 7),
                   columns, {"map", bad_rows, false});
}

TEST(PipelineTest, ShufflesAsKnownForASeed) {
  EXPECT_THAT(run(shuffle_stage(source(12), 5, 1, false)),
              ElementsAre(3, 2, 0, 1, 8, 9, 4, 6, 11, 7, 10, 5));
  EXPECT_THAT(
      run(shuffle_stage(source(12), 5, 1, false), {.epochs = 2}),
      ElementsAre(3, 2, 0, 1, 8, 9, 4, 6, 11, 7, 10, 5, -1, 2, 4, 0, 3, 8, 6, 7, 9, 10, 1, 11, 5));
  EXPECT_THAT(
      run(repeat_stage(shuffle_stage(source(12), 5, 0, false), 2)),
      ElementsAre(4, 2, 3, 6, 1, 7, 9, 11, 5, 10, 8, 0, 2, 0, 5, 7, 4, 3, 6, 11, 9, 10, 8, 1));
  EXPECT_THAT(
      run(shuffle_stage(repeat_stage(source(12), 2), 5, 0, false)),
      ElementsAre(4, 2, 3, 6, 1, 7, 9, 11, 10, 0, 5, 3, 2, 0, 5, 7, 4, 1, 6, 11, 9, 10, 8, 8));
}

TEST(PipelineTest, SkipsTakesRepeatsAndJoins) {
  EXPECT_THAT(run(take_stage(skip_stage(source(10), 3), 4)), ElementsAre(3, 4, 5, 6));
  EXPECT_THAT(run(repeat_stage(take_stage(source(10), 2), 3)), ElementsAre(0, 1, 0, 1, 0, 1));
  EXPECT_THAT(run(skip_stage(repeat_stage(source(3), 2), 4)), ElementsAre(1, 2));
  EXPECT_THAT(run(concat_stage({source(2), source(3)})), ElementsAre(0, 1, 0, 1, 2));
  EXPECT_THAT(run(zip_stage({source(4), source(2, "y")})), ElementsAre(0, 1));
  EXPECT_THROW(zip_stage({source(2), source(2)}), platform::Error);
  EXPECT_TRUE(run(take_stage(skip_stage(source(3), 3), 2)).empty());
}

TEST(PipelineTest, AnyNumberOfWorkersGivesTheSameRows) {
  const auto rows = [](std::size_t workers) {
    BatchOptions batch;
    batch.size = 5;
    StagePtr stage = mapped(shuffle_stage(source(64), 16, 3, false), std::make_shared<AddRandom>());
    return run(std::make_shared<BatchStage>(stage, batch), {.epochs = 3, .workers = workers});
  };
  const Numbers one = rows(1);
  EXPECT_EQ(one.size(), 3U * 64 + 2);
  for (const std::size_t workers : {2U, 4U, 8U}) EXPECT_EQ(rows(workers), one);
  const auto unbatched = [](std::size_t workers, bool threads) {
    return run(mapped(source(64), std::make_shared<AddRandom>()),
               {.epochs = 2, .workers = workers, .threads = threads});
  };
  EXPECT_EQ(unbatched(1, true), unbatched(8, true));
  EXPECT_EQ(unbatched(1, true), unbatched(1, false));
}

// What a stage leaves alone of a pass has no say in the next one, however far others work ahead.
TEST(PipelineTest, WorkAheadOfAnEarlyEndChangesNoLaterPass) {
  const auto slowly = [](StagePtr stage) {
    return mapped(std::move(stage), std::make_shared<AddRandom>());
  };
  const auto odd = [](const std::vector<const Item*>& items) {
    return values_of(*items[0])[0] % 2 == 1;
  };
  const std::vector<std::function<StagePtr()>> makers = {
      [&] {
        return take_stage(filter_stage(slowly(shuffle_stage(source(40), 8, 3, false)), {}, odd), 5);
      },
      [&] { return take_stage(filter_stage(slowly(repeat_stage(source(6), 4)), {}, odd), 5); },
      [&] { return take_stage(filter_stage(slowly(repeat_stage(source(6), -1)), {}, odd), 20); },
      [&] {
        return zip_stage({slowly(shuffle_stage(source(40), 8, 3, false)), source(9, "y")});
      },
      [&] {
        return zip_stage(
            {slowly(repeat_stage(filter_stage(shuffle_stage(source(20), 8, 3, false), {}, odd), 3)),
             source(7, "y")});
      },
  };
  for (const auto& make : makers) {
    const Numbers right = run(make(), {.epochs = 4, .threads = false});
    for (const std::size_t workers : {1U, 3U, 6U})
      EXPECT_EQ(run(make(), {.epochs = 4, .workers = workers}), right);
  }
}

TEST(PipelineTest, AnEarlyEndCostsAShuffleNothingOfItsOrder) {
  const auto orders = [](StagePtr stage) { return run(std::move(stage), {.epochs = 2}); };
  const Numbers whole = orders(shuffle_stage(source(12), 5, 1, false));
  const Numbers some = orders(take_stage(shuffle_stage(source(12), 5, 1, false), 4));
  EXPECT_EQ(Numbers(some.begin(), some.begin() + 4), Numbers(whole.begin(), whole.begin() + 4));
  EXPECT_EQ(Numbers(some.begin() + 5, some.end()), Numbers(whole.begin() + 13, whole.begin() + 17));
}

TEST(PipelineTest, GoesOnFromAnyPosition) {
  const auto rows = [](std::int64_t epochs, std::int64_t epoch, std::int64_t row) {
    BatchOptions batch;
    batch.size = 4;
    StagePtr stage =
        std::make_shared<IndexedStage>("source", array_source({"x"}, {MemoryColumn(counting(18))}),
                                       random_sampler(5, false, 0, true));
    stage = std::make_shared<BatchStage>(mapped(stage, std::make_shared<AddRandom>()), batch);
    return run(stage, {.epochs = epochs, .workers = 2, .start_epoch = epoch, .start_row = row});
  };
  const Numbers whole = rows(3, 0, 0);
  EXPECT_EQ(whole.size(), 3U * 18 + 2);
  EXPECT_EQ(rows(3, 0, 3), Numbers(whole.begin() + 12, whole.end()));
  EXPECT_EQ(rows(3, 2, 1), Numbers(whole.begin() + 2 * 19 + 4, whole.end()));
}

TEST(PipelineTest, BatchesKeepOrDropTheRest) {
  const auto sizes = [](bool drop) {
    BatchOptions batch;
    batch.size = 4;
    batch.drop_remainder = drop;
    RowStream stream(std::make_shared<BatchStage>(source(10), batch), {.epochs = 1});
    Numbers seen;
    Row row;
    while (stream.next(row) == Pulled::Row) seen.push_back(row.items[0].shape()[0]);
    return seen;
  };
  EXPECT_THAT(sizes(false), ElementsAre(4, 4, 2));
  EXPECT_THAT(sizes(true), ElementsAre(4, 4));
}

TEST(PipelineTest, BucketsByLength) {
  Items rows;
  for (std::int64_t length = 1; length <= 8; ++length) {
    Tensor row = Tensor::empty({length}, DType::Int64);
    std::fill_n(static_cast<std::int64_t*>(row.raw()), length, length - 1);
    rows.emplace_back(row);
  }
  BucketOptions options;
  options.length_columns = {"x"};
  options.boundaries = {3, 6};
  options.sizes = {2, 2, 1};
  options.batch.pad_all = true;
  StagePtr stage = std::make_shared<IndexedStage>(
      "source", array_source({"x"}, {MemoryColumn(rows)}), sequential_sampler(0, 0));
  RowStream stream(bucket_stage(stage, options), {.epochs = 1});
  std::vector<Numbers> first_values;
  Row row;
  while (stream.next(row) == Pulled::Row) {
    const Shape shape = row.items[0].shape();
    const Numbers values = values_of(row.items[0]);
    Numbers firsts;
    for (std::int64_t i = 0; i < shape[0]; ++i)
      firsts.push_back(values[static_cast<std::size_t>(i * shape[1])]);
    first_values.push_back(firsts);
  }
  EXPECT_THAT(first_values, ElementsAre(ElementsAre(0, 1), ElementsAre(2, 3), ElementsAre(5),
                                        ElementsAre(6), ElementsAre(7), ElementsAre(4)));
}

TEST(PipelineTest, BadRowsFailAreSkippedOrReplaced) {
  const auto rows = [](std::int64_t count, std::set<std::int64_t> bad, BadRows mode) {
    return run(mapped(source(count), std::make_shared<FailAt>(std::move(bad)), mode),
               {.epochs = 1, .workers = 3});
  };
  EXPECT_THROW(rows(6, {2}, BadRows::Raise), platform::Error);
  EXPECT_THAT(rows(6, {1, 2}, BadRows::Skip), ElementsAre(0, 3, 4, 5));
  EXPECT_THAT(rows(3, {0}, BadRows::Replace), ElementsAre(1, 2, 1));
  EXPECT_THAT(rows(10, {1, 3, 5, 7, 9}, BadRows::Replace),
              ElementsAre(0, 2, 4, 6, 8, 0, 2, 4, 6, 8));
  EXPECT_THAT(rows(20, {0}, BadRows::Replace),
              ElementsAre(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 1, 17, 18, 19));
  const Numbers forty = rows(40, {0, 20, 30}, BadRows::Replace);
  EXPECT_EQ(forty.size(), 40U);
  EXPECT_EQ(forty[20], 2);
  EXPECT_EQ(forty[30], 3);
  std::set<std::int64_t> last;
  for (std::int64_t row = 23; row < 40; ++row) last.insert(row);
  const Numbers many = rows(40, last, BadRows::Replace);
  EXPECT_EQ(Numbers(many.begin() + 23, many.end()),
            (Numbers{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 0}));
  EXPECT_THROW(rows(3, {0, 1, 2}, BadRows::Replace), platform::Error);
}

TEST(PipelineTest, ErrorsNameTheOperationAndComeAgain) {
  RowStream stream(mapped(source(4), std::make_shared<FailAt>(std::set<std::int64_t>{1})),
                   {.epochs = 1});
  Row row;
  EXPECT_EQ(stream.next(row), Pulled::Row);
  for (int attempt = 0; attempt < 2; ++attempt) try {
      stream.next(row);
      FAIL() << "the bad row was passed on";
    } catch (const platform::Error& error) {
      EXPECT_THAT(error.message(), testing::HasSubstr("map operation: [FailAt] failed. bad value"));
    }
}

// Whoever works ahead meets it, and nobody asked for it.
TEST(PipelineTest, AFailureBehindTheWantedRowsIsForgotten) {
  const auto bad_from = [](std::int64_t first) {
    return filter_stage(source(20), {"x"}, [first](const auto& items) {
      if (values_of(*items[0])[0] >= first) platform::fail(ErrorKind::Value, "bad value");
      return true;
    });
  };
  BatchOptions batch;
  batch.size = 2;
  const auto batched = [&](StagePtr child) {
    return std::make_shared<BatchStage>(std::move(child), batch);
  };
  const StreamOptions several{.epochs = 1, .workers = 3};
  EXPECT_THAT(run(repeat_stage(take_stage(batched(bad_from(4)), 2), 3), several),
              ElementsAre(0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3));
  const StagePtr mapping =
      mapped(bad_from(3), std::make_shared<FailAt>(std::set<std::int64_t>{}), BadRows::Skip);
  EXPECT_THAT(run(repeat_stage(take_stage(mapping, 3), 2), several), ElementsAre(0, 1, 2, 0, 1, 2));
}

// Counts to some number; then it fails, or there is none left.
class Counting : public RowIteration {
 public:
  explicit Counting(std::int64_t rows, bool fails = false) : rows_(rows), fails_(fails) {}
  void begin() override { next_ = 0; }
  bool next(Items& items) override {
    if (next_ == rows_ && fails_) platform::fail(ErrorKind::Runtime, "no more numbers");
    if (next_ == rows_) return false;
    items = {Item::scalar(next_++, DType::Int64)};
    return true;
  }
  void end(std::uint64_t rows) override { EXPECT_EQ(rows, static_cast<std::uint64_t>(rows_)); }
  void stop() override {}

 private:
  std::int64_t rows_, next_ = 0;
  bool fails_;
};

TEST(PipelineTest, RowsFromOutsideComeInEveryPass) {
  EXPECT_THAT(run(iterated_stage("numbers", {"x"}, std::make_unique<Counting>(3)),
                  {.epochs = 2, .workers = 2}),
              ElementsAre(0, 1, 2, -1, 0, 1, 2));
}

TEST(PipelineTest, AFailureOutsideComesAfterTheRowsBeforeIt) {
  RowStream stream(iterated_stage("numbers", {"x"}, std::make_unique<Counting>(2, true)),
                   {.epochs = 1});
  Row row;
  EXPECT_EQ(stream.next(row), Pulled::Row);
  EXPECT_EQ(stream.next(row), Pulled::Row);
  EXPECT_THROW(stream.next(row), platform::Error);
}

TEST(PipelineTest, StopsAtAnyMoment) {
  for (int round = 0; round < 200; ++round) {
    StagePtr stage = mapped(repeat_stage(source(50), -1), std::make_shared<AddRandom>());
    RowStream stream(stage, {.epochs = -1, .workers = 3});
    Row row;
    for (int i = 0; i < round % 5; ++i) EXPECT_EQ(stream.next(row), Pulled::Row);
  }
}

TEST(PipelineTest, FeedsTensorsWithoutCopies) {
  BatchOptions batch;
  batch.size = 4;
  StagePtr stage = std::make_shared<BatchStage>(source(8), batch);
  RowFeed feed(std::make_shared<RowStream>(stage, StreamOptions{.epochs = 2}));
  std::vector<Tensor> row;
  for (int epoch = 0; epoch < 2; ++epoch) {
    EXPECT_FALSE(feed.ended());
    EXPECT_TRUE(feed.next(row));
    EXPECT_TRUE(feed.next(row));
    EXPECT_EQ(values_of(row[0]), (Numbers{4, 5, 6, 7}));
    EXPECT_FALSE(feed.next(row));
  }
  EXPECT_TRUE(feed.ended());
  StagePtr words = std::make_shared<IndexedStage>(
      "words", array_source({"w"}, {MemoryColumn(Items{Item::text("a")})}),
      sequential_sampler(0, 0));
  RowFeed texts(std::make_shared<RowStream>(words, StreamOptions{.epochs = 1}));
  EXPECT_THROW(texts.next(row), platform::Error);
}

TEST(PipelineTest, NothingIsKeptReadyBeyondTheLimits) {
  BatchOptions batch;
  batch.size = 1 << 16;
  StagePtr stage = std::make_shared<BatchStage>(repeat_stage(source(1 << 16), -1), batch);
  RowStream stream(stage, {.epochs = -1, .workers = 2, .ahead = 16, .ahead_bytes = 1 << 20});
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  EXPECT_LE(stream.ready(), 3U);  // half a megabyte each
}

}  // namespace
}  // namespace mycel::data
