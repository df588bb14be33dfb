// SPDX-License-Identifier: Apache-2.0
#include "tensor/tensor.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <numeric>
#include <vector>

#include <gtest/gtest.h>

#include "platform/error/error.h"
#include "platform/random/philox.h"
#include "tensor/live_report.h"

namespace mycel::tensor {
namespace {

using platform::Error;
using platform::ErrorKind;

Tensor counting(const Shape& shape) {
  Tensor tensor = Tensor::empty(shape, DType::Int64);
  std::iota(tensor.data<std::int64_t>(), tensor.data<std::int64_t>() + tensor.size(), 0);
  return tensor;
}

// Visits every index of a shape, last axis fastest.
template <class Body>
void for_each_index(const Shape& shape, const Body& body) {
  std::vector<std::int64_t> index(shape.size(), 0);
  for (std::int64_t n = element_count(shape); n > 0; --n) {
    body(index);
    for (std::size_t k = shape.size(); k-- > 0;) {
      if (++index[k] < shape[k]) break;
      index[k] = 0;
    }
  }
}

std::int64_t place_of(const Tensor& tensor, const std::vector<std::int64_t>& index) {
  return std::inner_product(index.begin(), index.end(), tensor.strides().begin(), std::int64_t{0});
}

// The bytes of an element, so that all types compare alike.
bool same_element(const Tensor& a, std::int64_t i, const Tensor& b, std::int64_t j) {
  const auto bytes = static_cast<std::int64_t>(size_of(a.dtype()));
  return std::memcmp(static_cast<char*>(a.raw()) + i * bytes,
                     static_cast<char*>(b.raw()) + j * bytes, static_cast<std::size_t>(bytes)) == 0;
}

struct Draw {
  std::uint64_t seed;
  std::uint64_t next = 0;
  std::int64_t below(std::int64_t bound) {
    const platform::RandomBlock block = platform::random_block(seed, next++);
    return static_cast<std::int64_t>(
        platform::uniform_below(block.pair(0), static_cast<std::uint64_t>(bound)));
  }
};

// A strided window of `shape` inside a larger dense tensor: permuted axes, gaps, reversed or
// stretched axes.
Tensor random_view(const Shape& shape, DType dtype, Draw& draw, bool overlap) {
  std::vector<std::size_t> order(shape.size());
  std::iota(order.begin(), order.end(), 0U);
  for (std::size_t i = order.size(); i > 1; --i) {
    std::swap(order[i - 1],
              order[static_cast<std::size_t>(draw.below(static_cast<std::int64_t>(i)))]);
  }
  Strides strides(shape.size(), 1);
  std::int64_t step = 1 + draw.below(2);
  std::int64_t offset = 0;
  for (const std::size_t axis : order) {
    const bool stretched = overlap && draw.below(5) == 0;
    const bool reversed = draw.below(4) == 0;
    strides[axis] = stretched ? 0 : reversed ? -step : step;
    if (reversed && !stretched) offset += step * (shape[axis] - 1);
    step *= shape[axis] + draw.below(2);
  }
  Tensor base = Tensor::empty({step + 8}, dtype);
  auto* bytes = static_cast<unsigned char*>(base.raw());
  for (std::size_t i = 0; i < base.bytes(); ++i)
    bytes[i] = static_cast<unsigned char>(draw.below(256));
  return Tensor::view(base, shape, strides, offset + 4);
}

TEST(TensorTest, HugeTensorIsAnErrorNotACrash) {
  constexpr std::int64_t kHuge = std::int64_t{1} << 40;
  try {
    Tensor::empty({kHuge, kHuge}, DType::Float32);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::Value);
  }
  try {
    Tensor::empty({INT64_MAX}, DType::Complex128);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::Value);
  }
  try {
    Tensor::empty({kHuge, 1024}, DType::Int8);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::Memory);
  }
  EXPECT_EQ(Tensor::empty({2}, DType::Int8).size(), 2);  // and everything goes on
}

TEST(TensorTest, NumberOfManyElementsIsAValueError) {
  EXPECT_THROW(counting({2}).as_double(), Error);
  EXPECT_THROW(counting({0}).as_int(), Error);
  EXPECT_EQ(counting({1, 1}).as_int(), 0);
}

TEST(TensorTest, MemoryErrorNamesTheLargestTensors) {
  const Tensor large = Tensor::empty({3 << 20}, DType::Int8);
  const Tensor small = Tensor::empty({16}, DType::Int8);
  try {
    Tensor::empty({std::int64_t{1} << 45}, DType::Int8);
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(error.message().find("largest live tensors"), std::string::npos) << error.message();
    EXPECT_NE(error.message().find("3145728 bytes"), std::string::npos) << error.message();
    EXPECT_EQ(error.message().find(" 16 bytes"), std::string::npos) << error.message();
  }
}

TEST(TensorTest, FreedTensorsLeaveTheReport) {
  constexpr std::int64_t kOddBytes = 7654321;
  const auto mentions = [] {
    return LiveStorages::report(Device{}).find("7654321 bytes") != std::string::npos;
  };
  Tensor a = Tensor::empty({kOddBytes}, DType::Int8);
  Tensor b = Tensor::empty({kOddBytes}, DType::Int8);
  EXPECT_NE(LiveStorages::report(Device{}).find("2 x 7654321 bytes"), std::string::npos);
  a = Tensor();
  EXPECT_TRUE(mentions());
  b = Tensor();
  EXPECT_FALSE(mentions());
}

TEST(TensorTest, ViewSharesTheStorage) {
  const Tensor base = counting({3, 4});
  const Tensor column = Tensor::view(base, {3}, {4}, 2);
  EXPECT_EQ(&column.storage(), &base.storage());
  EXPECT_EQ(column.data<std::int64_t>()[4], 6);
  column.data<std::int64_t>()[0] = 77;
  EXPECT_EQ(base.data<std::int64_t>()[2], 77);
  EXPECT_FALSE(column.is_contiguous());
}

TEST(TensorTest, BorrowedMemoryIsGivenBackOnce) {
  static int returned = 0;
  returned = 0;
  std::int32_t memory[4] = {1, 2, 3, 4};
  {
    const Tensor tensor = Tensor::from_storage(
        Storage::borrow(
            Device{}, memory, sizeof memory, [](void*) { ++returned; }, nullptr),
        {4}, DType::Int32);
    const Tensor view = Tensor::view(tensor, {2}, {1}, 1);
    EXPECT_EQ(view.data<std::int32_t>()[0], 2);
    EXPECT_EQ(returned, 0);
  }
  EXPECT_EQ(returned, 1);
}

TEST(TensorTest, BlocksGoBackToThePool) {
  const std::size_t before = device::memory_statistics(Device{}).in_use;
  { const Tensor tensor = Tensor::empty({1000}, DType::Float32); }
  EXPECT_EQ(device::memory_statistics(Device{}).in_use, before);
}

TEST(CopyTest, EmptyAndZeroDimensionalTensorsAreCopied) {
  const Tensor empty = Tensor::empty({0, 3}, DType::Float32);
  copy_elements(empty, Tensor::empty({0, 3}, DType::Float32));
  const Tensor one = Tensor::empty({}, DType::Complex128);
  *one.data<std::complex<double>>() = {1, 2};
  const Tensor other = Tensor::empty({}, DType::Complex128);
  copy_elements(one, other);
  EXPECT_EQ(*other.data<std::complex<double>>(), std::complex<double>(1, 2));
}

TEST(CopyTest, AnyStridesAgreeWithANaiveLoop) {
  constexpr DType kTypes[] = {DType::UInt8, DType::Float16, DType::Float32, DType::Float64,
                              DType::Complex128};
  Draw draw{2024};
  for (int round = 0; round < 300; ++round) {
    const DType dtype = kTypes[round % 5];
    Shape shape;
    for (std::int64_t rank = draw.below(7); rank > 0; --rank) shape.push_back(1 + draw.below(5));
    const Tensor source = random_view(shape, dtype, draw, true);
    const Tensor target = random_view(shape, dtype, draw, false);
    const Tensor before =
        Tensor::empty({static_cast<std::int64_t>(target.storage().bytes())}, DType::UInt8);
    std::memcpy(before.raw(), target.storage().data(), before.bytes());
    copy_elements(source, target);
    for_each_index(shape, [&](const std::vector<std::int64_t>& index) {
      ASSERT_TRUE(same_element(source, place_of(source, index), target, place_of(target, index)))
          << to_string(shape) << " from " << to_string(source.strides()) << " to "
          << to_string(target.strides());
      const auto bytes = size_of(dtype);
      std::memcpy(static_cast<char*>(target.raw()) +
                      place_of(target, index) * static_cast<std::int64_t>(bytes),
                  before.data<char>() + (target.body().offset + place_of(target, index)) *
                                            static_cast<std::int64_t>(bytes),
                  bytes);
    });
    // With its elements put back, nothing around them has changed.
    ASSERT_EQ(std::memcmp(before.raw(), target.storage().data(), before.bytes()), 0)
        << "wrote outside";
  }
}

TEST(CopyTest, LargeTransposesAgreeWithANaiveLoop) {
  for (const Shape& shape : {Shape{700, 130}, Shape{33, 65, 129}, Shape{5, 3, 64, 65}}) {
    const Tensor source = counting(shape);
    const std::size_t rank = shape.size();
    Shape swapped = shape;
    Strides strides = source.strides();
    std::swap(swapped[rank - 1], swapped[0]);
    std::swap(strides[rank - 1], strides[0]);
    const Tensor view = Tensor::view(source, swapped, strides, 0);
    const Tensor dense = contiguous(view);
    EXPECT_TRUE(dense.is_contiguous());
    std::int64_t place = 0;
    bool same = true;
    for_each_index(swapped, [&](const std::vector<std::int64_t>& index) {
      same &=
          dense.data<std::int64_t>()[place++] == view.data<std::int64_t>()[place_of(view, index)];
    });
    EXPECT_TRUE(same) << to_string(shape);
  }
}

TEST(CopyTest, ContiguousTensorIsItsOwnDenseForm) {
  const Tensor tensor = counting({4, 5});
  EXPECT_TRUE(contiguous(tensor) == tensor);
}

}  // namespace
}  // namespace mycel::tensor
