// SPDX-License-Identifier: Apache-2.0
#include "operator/turn_log.h"

#include <gtest/gtest.h>

#include "device/pool.h"
#include "platform/error/error.h"

namespace mycel::op {
namespace {

using platform::Ref;

using Columns = std::vector<TurnLog::Column>;

TEST(TurnLogTest, KeepsARowForEveryTurn) {
  for (const std::size_t large : {8U, 200U, 100000U}) {
    TurnLog log(Columns{{4, false}, {large, false}, {1, false}});
    for (int turn = 0; turn < 300; ++turn) {
      log.begin_turn();
      const float number = 0.5F * static_cast<float>(turn);
      const std::vector<char> bytes(large, static_cast<char>(turn));
      const char last = static_cast<char>(turn + 1);
      log.keep(2, &last);
      log.keep(0, &number);
      log.keep(1, bytes.data());
    }
    EXPECT_EQ(log.turns(), 300);
    for (int turn = 299; turn >= 0; --turn) {
      EXPECT_EQ(*static_cast<const float*>(log.value(turn, 0)), 0.5F * static_cast<float>(turn));
      EXPECT_EQ(static_cast<const char*>(log.value(turn, 1))[large - 1], static_cast<char>(turn));
      EXPECT_EQ(*static_cast<const char*>(log.value(turn, 2)), static_cast<char>(turn + 1));
    }
    EXPECT_THROW(log.value(300, 0), platform::Error);
    EXPECT_THROW(log.value(-1, 0), platform::Error);
  }
}

TEST(TurnLogTest, TurnsThatKeepNothingAreCounted) {
  TurnLog log(Columns{});
  for (int turn = 0; turn < 1000; ++turn) log.begin_turn();
  EXPECT_EQ(log.turns(), 1000);
}

TEST(TurnLogTest, TakesLittleMoreThanItHoldsAndGivesItBack) {
  const std::size_t before = device::memory_statistics({}).in_use;
  {
    TurnLog log(Columns{{65536, false}});
    const std::vector<char> bytes(65536, 7);
    for (int turn = 0; turn < 1000; ++turn) {
      log.begin_turn();
      log.keep(0, bytes.data());
    }
    EXPECT_LE(device::memory_statistics({}).in_use - before, 1000 * 65536U);
  }
  EXPECT_EQ(device::memory_statistics({}).in_use, before);
}

TEST(TurnLogTest, KeepsTheLogsOfLoopsInside) {
  const TensorSpec type = TurnLog::type();
  const Ref<TurnLog> outer(new TurnLog(Columns{{16, true}}));
  ASSERT_EQ(type.shape, (tensor::Shape{16}));
  for (int turn = 0; turn < 3; ++turn) {
    const Ref<TurnLog> inner(new TurnLog(Columns{}));
    for (int i = 0; i < turn; ++i) inner->begin_turn();
    const tensor::Tensor place = TurnLog::owner_of(inner);
    outer->begin_turn();
    outer->keep(0, place.raw());
  }
  const tensor::Tensor place = TurnLog::owner_of(outer);
  const TurnLog& same = TurnLog::at(place.raw());
  for (int turn = 0; turn < 3; ++turn) EXPECT_EQ(TurnLog::at(same.value(turn, 0)).turns(), turn);
}

TEST(TurnLogTest, OtherBytesAreNone) {
  const char bytes[16] = {};
  EXPECT_THROW(TurnLog::at(bytes), platform::Error);
}

}  // namespace
}  // namespace mycel::op
