// SPDX-License-Identifier: Apache-2.0
#include "data/row_codec.h"

#include <cstring>
#include <random>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "data/lent_array.h"

namespace mycel::data {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

const std::vector<std::string> kColumns{"a", "b", "c", "d", "e", "f"};

// The parts in one piece of memory that begins at a multiple of 64.
struct Joined {
  explicit Joined(std::span<const Bytes> parts) {
    std::size_t size = 0;
    for (const Bytes part : parts) size += part.size();
    memory = std::shared_ptr<std::byte>(
        static_cast<std::byte*>(std::aligned_alloc(64, (size + 127) / 64 * 64)), std::free);
    std::byte* to = memory.get();
    for (const Bytes part : parts) to = std::copy(part.begin(), part.end(), to);
    bytes = {memory.get(), size};
  }
  std::shared_ptr<std::byte> memory;
  Bytes bytes;
};

Joined encoded(const Items& items, std::string_view file = "") {
  RowEncoder encoder;
  Joined joined(encoder.encode(items, file, kColumns));
  EXPECT_EQ(joined.bytes.size(), encoder.size());
  return joined;
}

Tensor counting(const Shape& shape, DType dtype) {
  Tensor tensor = Tensor::empty(shape, dtype);
  auto* bytes = static_cast<unsigned char*>(tensor.raw());
  for (std::size_t i = 0; i < tensor.bytes(); ++i) bytes[i] = static_cast<unsigned char>(i * 7);
  return tensor;
}

void expect_same(const Tensor& a, const Tensor& b) {
  EXPECT_EQ(a.dtype(), b.dtype());
  EXPECT_TRUE(std::ranges::equal(a.shape(), b.shape()));
  ASSERT_EQ(a.bytes(), b.bytes());
  EXPECT_TRUE(a.bytes() == 0 || std::memcmp(a.raw(), b.raw(), a.bytes()) == 0);
}

class Dict : public ForeignObject {
 public:
  std::string type_name() const override { return "dict"; }
};

TEST(RowCodecTest, ObjectIsRefusedByTheNameOfItsColumn) {
  const Items items{Item::scalar<std::int32_t>(1, DType::Int32), Ref<ForeignObject>(new Dict())};
  RowEncoder encoder;
  try {
    encoder.encode(items, "", kColumns);
    FAIL();
  } catch (const platform::Error& error) {
    EXPECT_THAT(error.message(), HasSubstr("The column 'b' holds dict"));
  }
}

TEST(RowCodecTest, ArraysOfEveryTypeComeBackAsAlignedViews) {
  for (int number = 0; number < tensor::kDTypeCount; ++number) {
    const auto dtype = static_cast<DType>(number);
    const Items items{counting({3, 5}, dtype), counting({}, dtype), counting({0, 4}, dtype),
                      counting({40, 30}, dtype)};
    const Joined row = encoded(items);
    const RowReader reader = RowReader::open(row.bytes).value();
    ASSERT_EQ(reader.size(), items.size());
    for (std::size_t i = 0; i < items.size(); ++i) {
      const Item item = reader.item(i, row.memory);
      expect_same(item.array(), items[i].array());
      if (item.array().bytes() == 0) continue;
      EXPECT_TRUE(is_lent(item.array()));
      EXPECT_EQ(reader.value(i).payload.data(), item.array().raw());
      const std::size_t alignment = item.array().bytes() < 64 ? 16 : 64;
      EXPECT_EQ(reinterpret_cast<std::uintptr_t>(item.array().raw()) % alignment, 0U);
    }
  }
}

TEST(RowCodecTest, LargeArraysAreNotCopiedByTheEncoder) {
  const Tensor picture = counting({64, 64, 3}, DType::UInt8);
  RowEncoder encoder;
  const std::span<const Bytes> parts = encoder.encode({picture}, "", kColumns);
  EXPECT_TRUE(std::ranges::any_of(
      parts, [&](Bytes part) { return part.data() == picture.raw() && part.size() == 12288; }));
}

TEST(RowCodecTest, TextAndBytesKeepEveryCharacter) {
  const std::string zero("a\0b", 3);
  const std::string large(5000, 'x');
  const Items items{Item::text("wörd"),
                    Item::bytes(zero),
                    Item::text(""),
                    Ref<TextArray>(new TextArray({"one", "", large, zero}, Shape{2, 2}, false)),
                    Ref<TextArray>(new TextArray(std::vector<std::string>{}, Shape{0}, true)),
                    Item()};
  const Joined row = encoded(items, "folder/file.txt");
  const RowReader reader = RowReader::open(row.bytes).value();
  EXPECT_EQ(reader.file(), "folder/file.txt");
  const Items back = reader.items(row.memory);
  EXPECT_THAT(back[0].text().values, ElementsAre("wörd"));
  EXPECT_FALSE(back[0].text().is_bytes);
  EXPECT_THAT(back[1].text().values, ElementsAre(zero));
  EXPECT_TRUE(back[1].text().is_bytes);
  EXPECT_TRUE(back[1].text().is_borrowed());
  EXPECT_THAT(back[2].text().values, ElementsAre(""));
  EXPECT_THAT(back[3].text().values, ElementsAre("one", "", large, zero));
  EXPECT_TRUE(std::ranges::equal(back[3].shape(), Shape{2, 2}));
  EXPECT_TRUE(back[4].text().values.empty());
  EXPECT_TRUE(back[5].empty());
}

TEST(RowCodecTest, ViewsKeepTheBytes) {
  std::weak_ptr<std::byte> watched;
  Item item;
  {
    const Joined row = encoded({counting({100}, DType::Float32)});
    watched = row.memory;
    item = RowReader::open(row.bytes).value().item(0, row.memory);
  }
  EXPECT_FALSE(watched.expired());
  const Tensor own = own_array(item.array());
  EXPECT_FALSE(is_lent(own));
  expect_same(own, item.array());
  item = Item();
  EXPECT_TRUE(watched.expired());
}

TEST(RowCodecTest, BytesAtAnOddPlaceAreCopied) {
  const Joined row = encoded({counting({100}, DType::Float64)});
  std::vector<std::byte> moved(row.bytes.size() + 1);
  std::copy(row.bytes.begin(), row.bytes.end(), moved.begin() + 1);
  const RowReader reader = RowReader::open(Bytes(moved).subspan(1)).value();
  const Item item = reader.item(0, nullptr);
  EXPECT_FALSE(is_lent(item.array()));
  expect_same(item.array(), counting({100}, DType::Float64));
}

TEST(RowCodecTest, EveryCutIsAnError) {
  const Joined row = encoded({counting({3, 4}, DType::Int16), Item::text("text")}, "file");
  for (std::size_t size = 0; size < row.bytes.size(); ++size)
    EXPECT_FALSE(RowReader::open(row.bytes.first(size))) << size;
}

// Nothing is expected of damaged rows but that nobody reads beyond them.
TEST(RowCodecTest, DamagedRowsAreReadWithinTheirBytes) {
  const Joined row = encoded({counting({3, 4}, DType::Int16), Item::text("some text"), Item(),
                              counting({}, DType::Complex128)},
                             "file");
  std::mt19937 random(7);
  for (int round = 0; round < 20000; ++round) {
    auto bytes = std::make_shared<std::vector<std::byte>>(row.bytes.begin(), row.bytes.end());
    for (int change = 0; change < 1 + round % 3; ++change)
      (*bytes)[random() % bytes->size()] = static_cast<std::byte>(random());
    const Result<RowReader> reader = RowReader::open(*bytes);
    if (!reader) continue;
    for (const Item& item : reader.value().items(bytes)) {
      if (item.is_array() && item.array().bytes() > 0) own_array(item.array());
      if (item.is_text())
        for (const std::string_view value : item.text().values) (void)std::string(value);
    }
  }
}

}  // namespace
}  // namespace mycel::data
