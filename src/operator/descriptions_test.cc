// SPDX-License-Identifier: Apache-2.0
#include "operator/descriptions.h"

#include <gtest/gtest.h>

#include "operator/registry.h"

namespace mycel::op {
namespace {

using platform::Error;
using platform::ErrorKind;

std::string message_of(const OpDef& definition, const Error& error) {
  try {
    try {
      throw error;
    } catch (const Error& caught) {
      rethrow_named(definition, caught);
    }
  } catch (const Error& named) {
    return named.message();
  }
}

TEST(DescriptionsTest, ParametersAreFoundByName) {
  const OpDef& add = find("add");
  EXPECT_FALSE(find_parameter(add, "no such one"));
  for (std::size_t i = 0; i < add.parameters.size(); ++i)
    EXPECT_EQ(find_parameter(add, parameter_name(add, add.parameters[i])), i);
  EXPECT_THROW(refuse_missing(add, add.parameters[0]), Error);
}

TEST(DescriptionsTest, MessagesAboutArgumentsSayWhoseTheyAre) {
  const OpDef& add = find("add");
  const std::string prefix = "For '" + add.shown_name() + "', ";
  EXPECT_EQ(message_of(add, Error(ErrorKind::Value, "too large")), prefix + "too large");
  EXPECT_EQ(message_of(add, Error(ErrorKind::Value, "For 'x', no")), "For 'x', no");
  EXPECT_EQ(message_of(add, Error(ErrorKind::Memory, "no memory")), "no memory");
}

}  // namespace
}  // namespace mycel::op
