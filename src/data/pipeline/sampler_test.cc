// SPDX-License-Identifier: Apache-2.0
#include "data/pipeline/sampler.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace mycel::data {
namespace {

using testing::ElementsAre;

// Orders below are those MindSpore gives for the same seeds.

TEST(SamplerTest, RandomShufflesOnFromPassToPass) {
  const SamplerPtr sampler = random_sampler(1, false, 0, true);
  EXPECT_THAT(sampler->next_pass(10), ElementsAre(9, 0, 2, 5, 7, 4, 6, 3, 1, 8));
  EXPECT_THAT(sampler->next_pass(10), ElementsAre(4, 9, 5, 0, 1, 7, 6, 2, 3, 8));
  EXPECT_THAT(sampler->next_pass(10), ElementsAre(0, 9, 3, 7, 5, 6, 8, 2, 4, 1));
  EXPECT_THAT(random_sampler(1, false, 0, true)->next_pass(6), ElementsAre(1, 0, 2, 5, 3, 4));
}

TEST(SamplerTest, RandomWithReplacement) {
  const SamplerPtr sampler = random_sampler(1, true, 6, true);
  EXPECT_THAT(sampler->next_pass(10), ElementsAre(4, 9, 7, 9, 0, 1));
  EXPECT_THAT(sampler->next_pass(10), ElementsAre(4, 1, 0, 9, 5, 9));
  EXPECT_THAT(sampler->next_pass(10), ElementsAre(5, 0, 7, 8, 2, 1));
}

TEST(SamplerTest, DistributedShardsShareOneOrder) {
  const auto shard = [](std::int64_t id) {
    return distributed_sampler({.shards = 2, .shard = id, .shuffle = true, .seed = 1});
  };
  const SamplerPtr first = shard(0);
  const SamplerPtr second = shard(1);
  EXPECT_THAT(first->next_pass(5), ElementsAre(3, 2, 1));
  EXPECT_THAT(first->next_pass(5), ElementsAre(4, 3, 0));
  EXPECT_THAT(second->next_pass(5), ElementsAre(0, 4, 3));
  EXPECT_THAT(second->next_pass(5), ElementsAre(1, 2, 4));
  EXPECT_THAT(distributed_sampler({.shards = 4, .shard = 2, .seed = 5489})->next_pass(20),
              ElementsAre(12, 3, 15, 2, 19));
}

TEST(SamplerTest, DistributedOffsetsMakeUnevenShards) {
  const auto rows = [](std::int64_t shard, std::int64_t offset) {
    return distributed_sampler({.shards = 3, .shard = shard, .shuffle = false, .offset = offset})
        ->next_pass(5);
  };
  EXPECT_THAT(rows(0, 0), ElementsAre(0, 3));
  EXPECT_THAT(rows(2, 0), ElementsAre(2));
  EXPECT_THAT(rows(0, 1), ElementsAre(2));
  EXPECT_THAT(rows(1, 1), ElementsAre(0, 3));
  EXPECT_THAT(rows(0, 2), ElementsAre(1, 4));
  EXPECT_THAT(rows(1, 2), ElementsAre(2));
  EXPECT_THAT(rows(2, 2), ElementsAre(0, 3));
}

TEST(SamplerTest, SubsetRandomAndWeighted) {
  const SamplerPtr subset = subset_random_sampler(1, {4, 2, 7, 9}, 0);
  EXPECT_THAT(subset->next_pass(10), ElementsAre(2, 4, 7, 9));
  EXPECT_THAT(subset->next_pass(10), ElementsAre(4, 2, 7, 9));
  EXPECT_THAT(subset->next_pass(10), ElementsAre(2, 4, 7, 9));
  EXPECT_THAT(weighted_sampler(1, {1, 0, 3, 1}, 0, true)->next_pass(4), ElementsAre(3, 3, 0, 3));
  EXPECT_THAT(weighted_sampler(1, {1, 0, 3, 1}, 0, false)->next_pass(4), ElementsAre(2, 0, 3, 1));
}

TEST(SamplerTest, ParentsPickPositionsOfTheirChild) {
  SamplerPtr parent = sequential_sampler(1, 3);
  parent->set_child(sequential_sampler(2, 5));
  EXPECT_THAT(parent->next_pass(10), ElementsAre(3, 4, 5));
  parent = distributed_sampler({.shards = 2, .shard = 1, .shuffle = false});
  parent->set_child(sequential_sampler(2, 5));
  EXPECT_THAT(parent->next_pass(10), ElementsAre(3, 5, 2));
  parent = subset_sampler({2, 0}, 0);
  parent->set_child(subset_sampler({9, 8, 7}, 0));
  EXPECT_THAT(parent->next_pass(10), ElementsAre(7, 9));
  parent = sequential_sampler(0, 3);
  parent->set_child(random_sampler(2, false, 0, false));
  EXPECT_THAT(parent->next_pass(10), ElementsAre(5, 0, 3));
  EXPECT_THAT(parent->next_pass(10), ElementsAre(5, 0, 3));
}

TEST(SamplerTest, RowsBeyondTheSourceAreRefused) {
  EXPECT_THROW(subset_sampler({5}, 0)->next_pass(5), platform::Error);
  EXPECT_THROW(subset_sampler({-1}, 0)->next_pass(5), platform::Error);
  EXPECT_THROW(sequential_sampler(10, 0)->next_pass(10), platform::Error);
}

}  // namespace
}  // namespace mycel::data
