// SPDX-License-Identifier: Apache-2.0
#include "operator/registry.h"

#include <gtest/gtest.h>

namespace mycel::op {
namespace {

TEST(RegistryTest, DefinitionsAreComplete) { EXPECT_NO_THROW(check_definitions()); }

TEST(RegistryTest, UnknownOperatorIsNamed) {
  EXPECT_EQ(find_or_null("no_such_operator"), nullptr);
  try {
    find("no_such_operator");
    FAIL();
  } catch (const platform::Error& error) {
    EXPECT_EQ(error.kind(), platform::ErrorKind::Internal);
    EXPECT_NE(error.message().find("no_such_operator"), std::string::npos);
  }
}

TEST(RegistryTest, EveryOperatorHasASample) {
  for (const OpDef* definition : all()) {
    if (!definition->internal) {
      EXPECT_FALSE(definition->samples.empty()) << definition->name;
    }
  }
}

TEST(RegistryTest, NumbersDoNotWidenTensors) {
  const OpDef& add = find("add");
  const TensorSpec half{DType::Float16, {2}, false};
  const TensorSpec number{DType::Float64, {}, true};
  const TensorSpec inputs[] = {half, number};
  EXPECT_EQ(elementwise_compute_type(add, std::span<const TensorSpec>(inputs)), DType::Float16);
}

}  // namespace
}  // namespace mycel::op
