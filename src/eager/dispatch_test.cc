// SPDX-License-Identifier: Apache-2.0
#include "eager/dispatch.h"

#include <gtest/gtest.h>

#include "operator/registry.h"
#include "platform/error/error.h"

namespace mycel::eager {
namespace {

using platform::ErrorKind;
using tensor::DType;
using tensor::Shape;

Tensor filled(const Shape& shape, DType dtype, double value) {
  return emitter()
      .call("fill", {}, {{"shape", shape}, {"value", value}, {"dtype", dtype}})
      .tensor();
}

Tensor call(const char* name, std::vector<Tensor> inputs) {
  return dispatch_one(op::find(name), inputs, {});
}

TEST(DispatchTest, MixedTypesPromote) {
  const Tensor sum =
      call("add", {filled({2, 1}, DType::Int32, 3), filled({2}, DType::Float32, 0.5)});
  EXPECT_EQ(sum.dtype(), DType::Float32);
  EXPECT_EQ(sum.shape(), (Shape{2, 2}));
  EXPECT_FLOAT_EQ(sum.data<float>()[3], 3.5F);
}

TEST(DispatchTest, NumberKeepsTheTensorsType) {
  const Tensor sum = call("add", {filled({2}, DType::Float16, 1), number_tensor(0.5)});
  EXPECT_EQ(sum.dtype(), DType::Float16);
}

TEST(DispatchTest, ShapesThatDoNotFitNameTheOperator) {
  try {
    call("add", {filled({2}, DType::Float32, 0), filled({3}, DType::Float32, 0)});
    FAIL();
  } catch (const platform::Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::Value);
    EXPECT_NE(error.message().find("add"), std::string::npos);
    EXPECT_NE(error.message().find("(3,)"), std::string::npos);
  }
}

TEST(DispatchTest, FailureInsideACompositeNamesTheComposite) {
  std::vector<Tensor> inputs = {filled({5}, DType::Float32, 0)}, outputs;
  std::vector<op::AttributeValue> attributes = {tensor::IntList{2, 2}, 0};
  try {
    dispatch(op::find("split"), inputs, attributes, outputs);
    FAIL();
  } catch (const platform::Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::Value);
    EXPECT_TRUE(error.message().starts_with("For 'split', ")) << error.message();
    EXPECT_EQ(error.message().find("split_sizes"), std::string::npos) << error.message();
  }
}

TEST(DispatchTest, WrongTypeIsATypeError) {
  try {
    call("bitwise_and", {filled({2}, DType::Float32, 0), filled({2}, DType::Float32, 0)});
    FAIL();
  } catch (const platform::Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::Type);
  }
}

TEST(DispatchTest, EmptyTensorsPassThrough) {
  EXPECT_EQ(call("exp", {filled({0, 3}, DType::Float32, 0)}).shape(), (Shape{0, 3}));
}

TEST(DispatchTest, MissingInputIsATypeError) {
  std::vector<Tensor> inputs = {Tensor(), filled({1}, DType::Float32, 0)};
  std::vector<op::AttributeValue> attributes(op::find("matmul").attributes.size(),
                                             op::AttributeValue(false));
  EXPECT_THROW(dispatch_one(op::find("matmul"), inputs, attributes), platform::Error);
}

}  // namespace
}  // namespace mycel::eager
