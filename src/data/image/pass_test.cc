// SPDX-License-Identifier: Apache-2.0
#include <cstring>

#include <gtest/gtest.h>

#include "data/transform/composite.h"
#include "data/transform/registry.h"
#include "platform/error/error.h"

namespace mycel::data {

namespace {

Tensor picture(std::int64_t height, std::int64_t width, std::int64_t channels) {
  Tensor result = Tensor::empty({height, width, channels}, DType::UInt8);
  RowRandom random(1, 2);
  for (std::int64_t i = 0; i < result.size(); ++i)
    result.data<std::uint8_t>()[i] = static_cast<std::uint8_t>(random.integer(0, 255));
  return result;
}

Items run(const ListedTransforms& list, Items items, std::uint64_t row) {
  RowRandom random(3, row);
  TransformContext context{random};
  run_list(list, RowStreams(random), items, context);
  return items;
}

ListedTransforms joined_of(const TransformList& list) { return join_neighbours(listed(list)); }

void expect_same(const Tensor& one, const Tensor& other) {
  ASSERT_EQ(to_string(one.shape()), to_string(other.shape()));
  ASSERT_EQ(one.dtype(), other.dtype());
  EXPECT_EQ(std::memcmp(one.raw(), other.raw(), one.bytes()), 0);
}

// Lends one place, and remembers whether it was taken.
class OnePlace : public OutputMemory {
 public:
  Tensor allocate(DType dtype, const Shape& shape) override {
    place = Tensor::empty(shape, dtype);
    return place;
  }
  Tensor place;
};

}  // namespace

TEST(ImagePassTest, ResizedRowsAreThoseOfTheLibraryBitByBit) {
  for (const std::int64_t channels : {1, 3, 4}) {
    for (const Integers& size : {Integers{5, 7}, {40, 90}, {37, 20}, {64, 53}, {1, 1}, {200, 3}}) {
      const TransformPtr resize = make_transform("Resize", Parameters({{"size", size}}));
      const TransformPtr flip = make_transform("VerticalFlip", Parameters());
      const ListedTransforms joined = joined_of({resize, flip});
      ASSERT_EQ(joined.size(), 1u);
      const Items input{picture(37, 53, channels)};
      expect_same(run(listed({resize, flip}), input, 0)[0].array(),
                  run(joined, input, 0)[0].array());
    }
  }
}

TEST(ImagePassTest, DrawsTheSameNumbersAsTheSteps) {
  const TransformList steps{
      make_transform("RandomResizedCrop", Parameters({{"size", Integers{16, 24}}})),
      make_transform("RandomHorizontalFlip", Parameters()),
      make_transform("RandomVerticalFlip", Parameters()),
      make_transform("Rescale", Parameters({{"rescale", 0.1}, {"shift", -1.0}})),
      make_transform("HWC2CHW", Parameters())};
  const ListedTransforms joined = joined_of(steps);
  ASSERT_EQ(joined.size(), 1u);
  EXPECT_TRUE(joined[0].transform->is_random());
  const Items input{picture(45, 61, 3)};
  for (std::uint64_t row = 0; row < 30; ++row)
    expect_same(run(listed(steps), input, row)[0].array(), run(joined, input, row)[0].array());
}

// Whatever stands between them, or does not.
TEST(ImagePassTest, StepsDrawByTheirPlacesInTheUsersList) {
  const TransformPtr crop =
      make_transform("RandomResizedCrop", Parameters({{"size", Integers{16, 24}}}));
  const TransformPtr flip = make_transform("RandomHorizontalFlip", Parameters());
  const TransformPtr nothing = make_transform(
      "Crop", Parameters({{"coordinates", Integers{0, 0}}, {"size", Integers{16, 24}}}));
  const Items input{picture(45, 61, 3)};
  for (std::uint64_t row = 0; row < 30; ++row)
    expect_same(run({{crop, 0}, {flip, 1}}, input, row)[0].array(),
                run(join_neighbours({{crop, 0}, {nothing, 9}, {flip, 1}}), input, row)[0].array());
}

TEST(CompositeTest, MembersDrawNumbersOfTheirOwn) {
  const TransformPtr flip = make_transform("RandomHorizontalFlip", Parameters());
  const Items input{picture(3, 4, 1)};
  int differing = 0;
  for (std::uint64_t row = 0; row < 64; ++row) {
    const Tensor once = run(listed({compose({flip})}), input, row)[0].array();
    const Tensor outside = run(listed({flip}), input, row)[0].array();
    differing += std::memcmp(once.raw(), outside.raw(), once.bytes()) != 0 ? 1 : 0;
  }
  EXPECT_GT(differing, 10);
  EXPECT_LT(differing, 54);
}

TEST(ImagePassTest, WritesTheResultWhereItBelongs) {
  const ListedTransforms joined = joined_of(
      {make_transform("HorizontalFlip", Parameters()), make_transform("ToTensor", Parameters())});
  Items items{picture(9, 11, 3)};
  RowRandom random(0, 0);
  OnePlace memory;
  TransformContext context{random, &memory};
  joined[0].transform->apply(items, context);
  EXPECT_EQ(items[0].array().raw(), memory.place.raw());
}

TEST(ImagePassTest, StepsThatDoNotFitStayApart) {
  const TransformPtr flip = make_transform("HorizontalFlip", Parameters());
  const TransformPtr crop = make_transform(
      "Crop", Parameters({{"coordinates", Integers{0, 0}}, {"size", Integers{2, 2}}}));
  const TransformPtr pad = make_transform("Pad", Parameters({{"padding", Integers{1, 1, 1, 1}}}));
  EXPECT_EQ(joined_of({flip, crop}).size(), 2u);
  EXPECT_EQ(joined_of({crop, flip, pad, flip}).size(), 3u);
  EXPECT_EQ(joined_of({}).size(), 0u);
}

TEST(ImagePassTest, NamesTheStepThatFailed) {
  const ListedTransforms joined = joined_of(
      {make_transform("Decode", Parameters()),
       make_transform("Crop",
                      Parameters({{"coordinates", Integers{0, 0}}, {"size", Integers{2, 2}}}))});
  EXPECT_EQ(joined[0].transform->failing_name("Crop: too small"), "Crop");
  EXPECT_EQ(joined[0].transform->failing_name("Input Tensor has no data."), "Decode");
}

TEST(TransformRegistryTest, ChecksRangesAndFillsInDefaults) {
  EXPECT_THROW(make_transform("RandomHorizontalFlip", Parameters({{"prob", 1.5}})),
               platform::Error);
  EXPECT_THROW(make_transform("Resize", Parameters()), platform::Error);
  EXPECT_THROW(make_transform("Nothing", Parameters()), platform::Error);
  EXPECT_EQ(make_transform("RandomHorizontalFlip", Parameters())->name(), "RandomHorizontalFlip");
  for (const std::string& name : transform_names())
    EXPECT_FALSE(transform_schema(name).doc.empty());
}

}  // namespace mycel::data
