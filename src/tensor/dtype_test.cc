// SPDX-License-Identifier: Apache-2.0
#include "tensor/dtype.h"

#include <array>
#include <cmath>
#include <limits>
#include <string_view>

#include <gtest/gtest.h>

namespace mycel::tensor {
namespace {

constexpr auto kB = DType::Bool;
constexpr auto kI8 = DType::Int8;
constexpr auto kI16 = DType::Int16;
constexpr auto kI32 = DType::Int32;
constexpr auto kI64 = DType::Int64;
constexpr auto kU8 = DType::UInt8;
constexpr auto kU16 = DType::UInt16;
constexpr auto kU32 = DType::UInt32;
constexpr auto kU64 = DType::UInt64;
constexpr auto kF16 = DType::Float16;
constexpr auto kBf = DType::BFloat16;
constexpr auto kF32 = DType::Float32;
constexpr auto kF64 = DType::Float64;
constexpr auto kC64 = DType::Complex64;
constexpr auto kC128 = DType::Complex128;

constexpr std::size_t kTableTypes = 12;
constexpr std::array<DType, kTableTypes> kOrder = {kB,   kI8, kI16, kI32, kI64, kU8,
                                                   kF16, kBf, kF32, kF64, kC64, kC128};
// Row and column as in kOrder.
constexpr std::array<std::array<DType, kTableTypes>, kTableTypes> kTable = {{
    {kB, kI8, kI16, kI32, kI64, kU8, kF16, kBf, kF32, kF64, kC64, kC128},
    {kI8, kI8, kI16, kI32, kI64, kI16, kF16, kBf, kF32, kF64, kC64, kC128},
    {kI16, kI16, kI16, kI32, kI64, kI16, kF16, kBf, kF32, kF64, kC64, kC128},
    {kI32, kI32, kI32, kI32, kI64, kI32, kF16, kBf, kF32, kF64, kC64, kC128},
    {kI64, kI64, kI64, kI64, kI64, kI64, kF16, kBf, kF32, kF64, kC64, kC128},
    {kU8, kI16, kI16, kI32, kI64, kU8, kF16, kBf, kF32, kF64, kC64, kC128},
    {kF16, kF16, kF16, kF16, kF16, kF16, kF16, kF32, kF32, kF64, kC64, kC128},
    {kBf, kBf, kBf, kBf, kBf, kBf, kF32, kBf, kF32, kF64, kC64, kC128},
    {kF32, kF32, kF32, kF32, kF32, kF32, kF32, kF32, kF32, kF64, kC64, kC128},
    {kF64, kF64, kF64, kF64, kF64, kF64, kF64, kF64, kF64, kF64, kC128, kC128},
    {kC64, kC64, kC64, kC64, kC64, kC64, kC64, kC64, kC64, kC128, kC64, kC128},
    {kC128, kC128, kC128, kC128, kC128, kC128, kC128, kC128, kC128, kC128, kC128, kC128},
}};

TEST(DTypeTest, PromotionFollowsTheTable) {
  for (std::size_t i = 0; i < kTableTypes; ++i) {
    for (std::size_t j = 0; j < kTableTypes; ++j) {
      EXPECT_EQ(promote(kOrder[i], kOrder[j]), kTable[i][j])
          << name_of(kOrder[i]) << " with " << name_of(kOrder[j]);
    }
  }
}

TEST(DTypeTest, WideUnsignedTypesPromoteToWhatHoldsBoth) {
  struct Case {
    DType a, b, result;
  };
  constexpr Case kCases[] = {
      {kU16, kU16, kU16}, {kU16, kB, kU16},   {kU16, kU8, kU16},  {kU16, kU32, kU32},
      {kU16, kU64, kU64}, {kU32, kU64, kU64}, {kU16, kI8, kI32},  {kU16, kI16, kI32},
      {kU16, kI32, kI32}, {kU16, kI64, kI64}, {kU32, kI8, kI64},  {kU32, kI32, kI64},
      {kU32, kI64, kI64}, {kU64, kI8, kF32},  {kU64, kI64, kF32}, {kU64, kB, kU64},
      {kU64, kF16, kF16}, {kU32, kBf, kBf},   {kU16, kF64, kF64}, {kU64, kC64, kC64},
      {kU8, kI8, kI16},   {kU32, kU8, kU32},
  };
  for (const Case& c : kCases) {
    EXPECT_EQ(promote(c.a, c.b), c.result) << name_of(c.a) << " with " << name_of(c.b);
    EXPECT_EQ(promote(c.b, c.a), c.result) << name_of(c.b) << " with " << name_of(c.a);
  }
}

TEST(DTypeTest, PromotionIsSymmetric) {
  for (int i = 0; i < kDTypeCount; ++i) {
    for (int j = 0; j < kDTypeCount; ++j) {
      const auto a = static_cast<DType>(i);
      const auto b = static_cast<DType>(j);
      EXPECT_EQ(promote(a, b), promote(b, a));
    }
    EXPECT_EQ(promote(static_cast<DType>(i), static_cast<DType>(i)), static_cast<DType>(i));
  }
}

TEST(DTypeTest, PythonNumbersNeverWidenTheirOwnKind) {
  for (int i = 0; i < kDTypeCount; ++i) {
    const auto d = static_cast<DType>(i);
    EXPECT_EQ(promote_with_number(d, kB), d);
    EXPECT_EQ(promote_with_number(d, kI64), d == kB ? kI64 : d);
    EXPECT_EQ(promote_with_number(d, kF64), is_floating(d) || is_complex(d) ? d : kF32);
    EXPECT_EQ(promote_with_number(d, kC128), is_complex(d) ? d : d == kF64 ? kC128 : kC64);
  }
}

TEST(DTypeTest, DescriptionsAgreeWithTheElementTypes) {
  for (int i = 0; i < kDTypeCount; ++i) {
    const auto d = static_cast<DType>(i);
    with_any_type(d, [&]<class T>() {
      EXPECT_EQ(size_of(d), sizeof(T));
      EXPECT_EQ(kDTypeOf<T>, d);
    });
    with_bits_type(d, [&]<class T>() { EXPECT_EQ(size_of(d), sizeof(T)); });
    EXPECT_EQ(is_floating(d) + is_complex(d) + is_integral(d) + (d == kB), 1);
  }
  EXPECT_EQ(name_of(kBf), "BFloat16");
  EXPECT_EQ(python_name(kB), "bool_");
}

TEST(DTypeTest, VisitorOfAnotherGroupIsATypeError) {
  try {
    with_float_type(kI32, []<class T>() {});
    FAIL();
  } catch (const platform::Error& error) {
    EXPECT_EQ(error.kind(), platform::ErrorKind::Type);
  }
}

TEST(DTypeTest, SetsPrintTheirMembers) {
  EXPECT_EQ(to_string(DTypeSet{kF32, kI8}), "[Int8, Float32]");
  EXPECT_EQ(to_string(DTypeSet{}), "[]");
  EXPECT_TRUE(kAny.contains(kC128));
  EXPECT_FALSE(kReal.contains(kB));
}

TEST(HalfTest, BFloat16RoundsToNearestEven) {
  EXPECT_EQ(BFloat16(1.0F).bits, 0x3f80);
  EXPECT_EQ(BFloat16(1.00390625F).bits, 0x3f80);                        // half way, down to even
  EXPECT_EQ(BFloat16(1.01171875F).bits, 0x3f82);                        // half way, up to even
  EXPECT_EQ(BFloat16(std::numeric_limits<float>::max()).bits, 0x7f80);  // to infinity
  EXPECT_TRUE(std::isnan(static_cast<float>(BFloat16(std::nanf("")))));
  EXPECT_TRUE(std::isinf(static_cast<float>(BFloat16(-INFINITY))));
}

TEST(HalfTest, EveryHalfSurvivesTheWayThroughFloat) {
  for (unsigned bits = 0; bits < 0x10000; ++bits) {
    Float16 half;
    half.bits = static_cast<std::uint16_t>(bits);
    BFloat16 brain;
    brain.bits = static_cast<std::uint16_t>(bits);
    if (!std::isnan(static_cast<float>(half))) {
      ASSERT_EQ(Float16(static_cast<float>(half)).bits, bits);
    }
    if (!std::isnan(static_cast<float>(brain))) {
      ASSERT_EQ(BFloat16(static_cast<float>(brain)).bits, bits);
    }
  }
  EXPECT_EQ(Float16(65520.0F).bits, 0x7c00);  // rounds to infinity
  EXPECT_EQ(Float16(65519.0F).bits, 0x7bff);
}

}  // namespace
}  // namespace mycel::tensor
