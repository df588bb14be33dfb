// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "ops/shape/window.h"

namespace mycel::ops {
namespace {

struct Entry {
  IntList begin, end, strides;
  std::int64_t begin_mask = 0, end_mask = 0, ellipsis_mask = 0, new_axis_mask = 0,
               shrink_axis_mask = 0;
};

Tensor numbered(const Shape& shape) {
  Tensor tensor = Tensor::empty(shape, DType::Int64);
  for (std::int64_t i = 0; i < tensor.size(); ++i) tensor.data<std::int64_t>()[i] = i;
  return tensor;
}

Tensor sliced(const Tensor& input, const Entry& entry) {
  const OpDef& definition = find("strided_slice");
  AttributeList attributes{
      entry.begin,    entry.end,           entry.strides,       entry.begin_mask,
      entry.end_mask, entry.ellipsis_mask, entry.new_axis_mask, entry.shrink_axis_mask};
  const TensorSpec spec{input.dtype(), input.shape()};
  InferContext infer(definition, attributes, std::span(&spec, 1), std::span(&input, 1));
  definition.infer(infer);
  ViewContext view(definition, attributes, input, infer.outputs());
  EXPECT_TRUE(definition.view(view));
  const ViewSpec& seen = view.views()[0];
  EXPECT_EQ(seen.shape, infer.outputs()[0].shape);
  return contiguous(Tensor::view(input, seen.shape, seen.strides, seen.offset));
}

std::vector<std::int64_t> elements(const Tensor& tensor) {
  return {tensor.data<std::int64_t>(), tensor.data<std::int64_t>() + tensor.size()};
}

TEST(StridedSliceTest, ZeroStrideIsRefused) {
  EXPECT_THROW(sliced(numbered({4}), {{0}, {4}, {0}}), platform::Error);
}

TEST(StridedSliceTest, TooManyEntriesAreRefused) {
  EXPECT_THROW(sliced(numbered({4}), {{0, 0}, {1, 1}, {1, 1}}), platform::Error);
}

TEST(StridedSliceTest, ShrunkPositionOutOfRangeIsRefused) {
  EXPECT_THROW(sliced(numbered({4}), {{4}, {5}, {1}, 0, 0, 0, 0, 1}), platform::Error);
}

TEST(StridedSliceTest, NegativeStrideWalksBack) {
  EXPECT_EQ(elements(sliced(numbered({5}), {{-1}, {0}, {-2}})), (std::vector<std::int64_t>{4, 2}));
  EXPECT_EQ(elements(sliced(numbered({5}), {{-1}, {0}, {-2}, 0, 1})),
            (std::vector<std::int64_t>{4, 2, 0}));
}

TEST(StridedSliceTest, HugeStrideTakesOneElement) {
  EXPECT_EQ(elements(sliced(numbered({5}), {{1}, {5}, {INT64_MAX}})),
            (std::vector<std::int64_t>{1}));
  EXPECT_EQ(elements(sliced(numbered({5}), {{3}, {0}, {INT64_MIN}})),
            (std::vector<std::int64_t>{3}));
}

TEST(StridedSliceTest, MasksCombine) {
  // x[..., None, 1::2, 2] of shape (2, 4, 3)
  const Tensor result =
      sliced(numbered({2, 4, 3}), {{0, 0, 1, 2}, {0, 0, 1, 3}, {1, 1, 2, 1}, 0, 4, 1, 2, 8});
  EXPECT_EQ(result.shape(), (Shape{2, 1, 2}));
  EXPECT_EQ(elements(result), (std::vector<std::int64_t>{5, 11, 17, 23}));
}

TEST(StridedSliceTest, EmptyRangeGivesNoElements) {
  EXPECT_EQ(sliced(numbered({3}), {{2}, {1}, {1}}).shape(), (Shape{0}));
}

}  // namespace
}  // namespace mycel::ops
