// SPDX-License-Identifier: Apache-2.0
#include "operator/inference.h"

#include <gtest/gtest.h>

#include "operator/registry.h"
#include "platform/error/error.h"

namespace mycel::op {
namespace {

using tensor::Shape;
using tensor::Tensor;

AttributeList defaults(const OpDef& definition) {
  AttributeList attributes;
  for (const AttributeDef& attribute : definition.attributes)
    attributes.push_back(attribute.initial);
  return attributes;
}

std::vector<TensorSpec> infer(const char* name, std::vector<Tensor> inputs) {
  const OpDef& definition = find(name);
  return infer_outputs(definition, inputs, defaults(definition));
}

TEST(InferenceTest, ShapesThatDoNotFitAreRefused) {
  EXPECT_THROW(
      infer("add", {Tensor::empty({2}, DType::Float32), Tensor::empty({3}, DType::Float32)}),
      platform::Error);
}

TEST(InferenceTest, ElementwisePromotesAndStretches) {
  const auto specs =
      infer("add", {Tensor::empty({2, 1}, DType::Int32), Tensor::empty({3}, DType::Float16)});
  ASSERT_EQ(specs.size(), 1U);
  EXPECT_EQ(specs[0].dtype, DType::Float16);
  EXPECT_EQ(specs[0].shape, (Shape{2, 3}));
}

TEST(InferenceTest, CompositesAreFollowed) {
  const auto specs = infer("unbind", {Tensor::empty({3, 4}, DType::Int8)});
  ASSERT_EQ(specs.size(), 3U);
  EXPECT_EQ(specs[2].dtype, DType::Int8);
  EXPECT_EQ(specs[2].shape, (Shape{4}));
}

TEST(InferenceTest, AbsentInputsStayAbsent) {
  const auto specs = infer("batch_norm_training", {Tensor::empty({2, 3}, DType::Float16), {}, {}});
  ASSERT_EQ(specs.size(), 3U);
  EXPECT_EQ(specs[0].dtype, DType::Float16);
  EXPECT_EQ(specs[1].dtype, DType::Float32);
  EXPECT_EQ(specs[1].shape, (Shape{3}));
}

}  // namespace
}  // namespace mycel::op
