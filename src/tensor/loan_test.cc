// SPDX-License-Identifier: Apache-2.0
#include "tensor/loan.h"

#include <array>

#include <gtest/gtest.h>

#include "platform/error/error.h"
#include "tensor/buffer_format.h"

namespace mycel::tensor {
namespace {

TEST(LoanTest, WritesLeaveTheLendersMemoryAlone) {
  std::array<float, 2> lent{1, 2};
  const auto owner = std::make_shared<int>();
  {
    const Tensor tensor =
        Tensor::from_storage(lend(lent.data(), sizeof(lent), owner), {2}, DType::Float32);
    EXPECT_EQ(tensor.raw(), lent.data());
    end_loan(tensor.storage());
    EXPECT_NE(tensor.raw(), lent.data());
    tensor.data<float>()[0] = 7;
    EXPECT_EQ(lent[0], 1);
    EXPECT_EQ(tensor.data<float>()[1], 2);
    EXPECT_EQ(owner.use_count(), 2);  // others may look at what was lent
  }
  EXPECT_EQ(owner.use_count(), 1);
}

TEST(LoanTest, OtherStoragesStayWhereTheyAre) {
  const Tensor tensor = Tensor::empty({2}, DType::Float32);
  const void* const before = tensor.raw();
  end_loan(tensor.storage());
  EXPECT_EQ(tensor.raw(), before);
}

TEST(BufferFormatTest, UnknownTypesAreRefused) {
  EXPECT_THROW(dtype_of_format(">f"), platform::Error);
  EXPECT_THROW(dtype_of_format("T{f:x:}"), platform::Error);
  EXPECT_THROW(format_of(DType::BFloat16), platform::Error);
}

TEST(BufferFormatTest, TypesComeBack) {
  EXPECT_EQ(dtype_of_format(nullptr), DType::UInt8);
  EXPECT_EQ(dtype_of_format("<f"), DType::Float32);
  for (const DType dtype : {DType::Bool, DType::Int64, DType::UInt64, DType::Complex128})
    EXPECT_EQ(dtype_of_format(format_of(dtype)), dtype);
}

}  // namespace
}  // namespace mycel::tensor
