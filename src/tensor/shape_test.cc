// SPDX-License-Identifier: Apache-2.0
#include "tensor/shape.h"

#include <cstdint>

#include <gtest/gtest.h>

#include "platform/error/error.h"

namespace mycel::tensor {
namespace {

using platform::Error;
using platform::ErrorKind;

constexpr std::int64_t kHuge = std::int64_t{1} << 40;

TEST(ShapeTest, HugeShapeIsAValueError) {
  try {
    element_count({kHuge, kHuge});
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::Value);
    EXPECT_NE(error.message().find("(1099511627776, 1099511627776)"), std::string::npos);
  }
  EXPECT_THROW(element_count({INT64_MAX, 2}), Error);
}

TEST(ShapeTest, ZeroLengthBeatsHugeLength) {
  EXPECT_EQ(element_count({kHuge, kHuge, 0}), 0);
  EXPECT_EQ(element_count({0, kHuge, kHuge}), 0);
  const Shape shape{0, kHuge, kHuge};
  EXPECT_TRUE(is_contiguous(shape, contiguous_strides(shape)));
}

TEST(ShapeTest, ShapesThatDoNotFitNameTheOperator) {
  try {
    broadcast_shapes({2, 3}, {2, 4}, "add");
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::Value);
    EXPECT_NE(error.message().find("For 'add'"), std::string::npos);
    EXPECT_NE(error.message().find("(2, 3)"), std::string::npos);
    EXPECT_NE(error.message().find("(2, 4)"), std::string::npos);
  }
  EXPECT_THROW(broadcast_shapes({0}, {2}, "add"), Error);
}

TEST(ShapeTest, AxisOutOfRangeNamesTheArgument) {
  EXPECT_THROW(normalize_axis(2, 2, "sum"), Error);
  EXPECT_THROW(normalize_axis(-3, 2, "sum"), Error);
  try {
    normalize_axis(5, 2, "split", "dim");
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::Value);
    EXPECT_NE(error.message().find("'dim'"), std::string::npos);
  }
}

TEST(ShapeTest, NegativeAxesCountFromTheEnd) {
  EXPECT_EQ(normalize_axis(-1, 3, "sum"), 2);
  EXPECT_EQ(normalize_axis(0, 3, "sum"), 0);
  EXPECT_EQ(normalize_axis(-1, 0, "sum"), 0);  // a 0-d tensor is taken as one element
}

TEST(ShapeTest, BroadcastStretchesOnesAndMissingAxes) {
  EXPECT_EQ(broadcast_shapes({}, {2, 3}, "op"), (Shape{2, 3}));
  EXPECT_EQ(broadcast_shapes({3}, {2, 1}, "op"), (Shape{2, 3}));
  EXPECT_EQ(broadcast_shapes({4, 1, 3}, {2, 1}, "op"), (Shape{4, 2, 3}));
  EXPECT_EQ(broadcast_shapes({1}, {0}, "op"), (Shape{0}));
  EXPECT_EQ(broadcast_strides({3, 1}, {1, 1}, {2, 3, 4}), (Strides{0, 1, 0}));
}

TEST(ShapeTest, ContiguityIgnoresAxesOfLengthOne) {
  EXPECT_EQ(contiguous_strides({2, 3, 4}), (Strides{12, 4, 1}));
  EXPECT_TRUE(is_contiguous({2, 1, 4}, {4, 999, 1}));
  EXPECT_FALSE(is_contiguous({2, 3}, {1, 2}));
  EXPECT_FALSE(is_contiguous({2}, {0}));
  EXPECT_TRUE(is_contiguous({}, {}));
}

TEST(ShapeTest, TextLooksLikeATuple) {
  EXPECT_EQ(to_string(Shape{}), "()");
  EXPECT_EQ(to_string(Shape{5}), "(5,)");
  EXPECT_EQ(to_string(Shape{2, -1}), "(2, -1)");
}

TEST(InlineVectorTest, KeepsItsValuesBeyondTheInlineRoom) {
  IntList list;
  for (std::int64_t i = 0; i < 20; ++i) list.push_back(i);
  IntList copy = list;
  const IntList moved = std::move(list);
  EXPECT_EQ(copy, moved);
  EXPECT_TRUE(list.empty());  // NOLINT: what is tested
  list.push_back(7);
  EXPECT_EQ(list, (IntList{7}));
  copy = list;
  EXPECT_EQ(copy, (IntList{7}));
}

TEST(InlineVectorTest, InsertAndEraseKeepTheRest) {
  IntList list{1, 2, 3};
  list.insert(1, 9);
  EXPECT_EQ(list, (IntList{1, 9, 2, 3}));
  list.insert(4, 8);
  list.erase(0);
  EXPECT_EQ(list, (IntList{9, 2, 3, 8}));
  list.resize(6, 5);
  EXPECT_EQ(list, (IntList{9, 2, 3, 8, 5, 5}));
}

}  // namespace
}  // namespace mycel::tensor
