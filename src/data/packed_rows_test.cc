// SPDX-License-Identifier: Apache-2.0
#include "data/packed_rows.h"

#include <cstring>
#include <random>

#include <gtest/gtest.h>

#include "data/lent_array.h"

namespace mycel::data {
namespace {

std::vector<Items> some_rows() {
  std::vector<Items> rows;
  for (std::int64_t i = 0; i < 5; ++i)
    rows.push_back({Item::scalar(i, DType::Int64), Item::text(std::string(i, 'x'))});
  rows.push_back({});
  return rows;
}

TEST(PackedRowsTest, BytesAndLargeRowsAreLeftAlone) {
  EXPECT_TRUE(is_worth_packing(some_rows()));
  EXPECT_FALSE(is_worth_packing(std::vector<Items>{{Item::bytes("x")}}));
  EXPECT_FALSE(is_worth_packing(std::vector<Items>{{Tensor::empty({100000}, DType::UInt8)}}));
}

TEST(PackedRowsTest, RowsComeBackAsViews) {
  const PackedRows rows = PackedRows::open(pack_rows(some_rows(), 7)).value();
  ASSERT_EQ(rows.size(), 6U);
  EXPECT_EQ(rows.note(), 7U);
  for (std::int64_t i = 0; i < 5; ++i) {
    const Items items = rows.items(static_cast<std::size_t>(i));
    EXPECT_TRUE(is_lent(items[0].array()));
    EXPECT_EQ(*static_cast<const std::int64_t*>(items[0].array().raw()), i);
    EXPECT_EQ(items[1].text().values[0].size(), static_cast<std::size_t>(i));
  }
  EXPECT_TRUE(rows.items(5).empty());
  EXPECT_EQ(PackedRows::open(pack_rows({}, 0)).value().size(), 0U);
}

TEST(PackedRowsTest, DamagedBytesAreReadWithinTheirBounds) {
  const Tensor packed = pack_rows(some_rows(), 0);
  std::mt19937 random(3);
  for (int round = 0; round < 5000; ++round) {
    const std::size_t size = round % 2 == 0 ? packed.bytes() : random() % packed.bytes();
    Tensor changed = Tensor::empty({static_cast<std::int64_t>(size)}, DType::UInt8);
    if (size == 0) continue;
    std::memcpy(changed.raw(), packed.raw(), size);
    static_cast<unsigned char*>(changed.raw())[random() % size] =
        static_cast<unsigned char>(random());
    const Result<PackedRows> rows = PackedRows::open(changed);
    if (!rows) continue;
    for (std::size_t i = 0; i < rows.value().size(); ++i) rows.value().items(i);
  }
}

}  // namespace
}  // namespace mycel::data
