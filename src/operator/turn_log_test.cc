// SPDX-License-Identifier: Apache-2.0
#include "operator/turn_log.h"

#include <cstring>

#include <gtest/gtest.h>

#include "device/pool.h"
#include "platform/error/error.h"

namespace mycel::op {
namespace {

using platform::Ref;

using Columns = std::vector<TurnLog::Column>;
using tensor::Tensor;

Tensor bytes_of(std::size_t count, int value) {
  const Tensor bytes = Tensor::empty({static_cast<std::int64_t>(count)}, tensor::DType::UInt8);
  std::memset(bytes.raw(), value, count);
  return bytes;
}

int read(const TurnLog& log, std::int64_t turn, std::size_t column, std::size_t count) {
  const Tensor bytes = bytes_of(count, 0);
  log.read(turn, column, bytes);
  return bytes.data<std::uint8_t>()[count - 1];
}

TEST(TurnLogTest, KeepsARowForEveryTurn) {
  for (const std::size_t large : {8U, 200U, 100000U}) {
    TurnLog log(Columns{{4, false}, {large, false}, {1, false}});
    for (int turn = 0; turn < 300; ++turn) {
      log.begin_turn();
      log.keep(2, bytes_of(1, turn + 1));
      log.keep(0, bytes_of(4, turn + 2));
      log.keep(1, bytes_of(large, turn));
    }
    EXPECT_EQ(log.turns(), 300);
    for (int turn = 299; turn >= 0; --turn) {
      EXPECT_EQ(read(log, turn, 0, 4), (turn + 2) % 256);
      EXPECT_EQ(read(log, turn, 1, large), turn % 256);
      EXPECT_EQ(read(log, turn, 2, 1), (turn + 1) % 256);
    }
    EXPECT_THROW(read(log, 300, 0, 4), platform::Error);
    EXPECT_THROW(read(log, -1, 0, 4), platform::Error);
    EXPECT_THROW(read(log, 0, 0, 8), platform::Error);
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
    const Tensor bytes = bytes_of(65536, 7);
    for (int turn = 0; turn < 1000; ++turn) {
      log.begin_turn();
      log.keep(0, bytes);
    }
    EXPECT_LE(device::memory_statistics({}).in_use - before, 1001 * 65536U);
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
    const Tensor place = TurnLog::owner_of(inner);
    outer->begin_turn();
    outer->keep(0, place);
  }
  const Tensor place = TurnLog::owner_of(outer);
  for (int turn = 0; turn < 3; ++turn) {
    const Tensor inner = Tensor::empty(type.shape, type.dtype);
    TurnLog::at(place).read(turn, 0, inner);
    EXPECT_EQ(TurnLog::at(inner).turns(), turn);
  }
}

TEST(TurnLogTest, OtherBytesAreNone) {
  EXPECT_THROW(TurnLog::at(bytes_of(16, 0)), platform::Error);
}

}  // namespace
}  // namespace mycel::op
