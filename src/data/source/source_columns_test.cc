// SPDX-License-Identifier: Apache-2.0
#include "data/source/source_columns.h"

#include <gtest/gtest.h>

#include "data/pipeline/failure_text.h"
#include "platform/error/error.h"

namespace mycel::data {
namespace {

TEST(SourceColumnsTest, RowsOfAnotherLengthAreRefused) {
  const SourceColumns columns{{"a", "b"}, {}};
  EXPECT_THROW(columns.require_count(1), platform::Error);
  EXPECT_NO_THROW(columns.require_count(2));
}

TEST(SourceColumnsTest, TypesAreCheckedWhereTheyAreGiven) {
  const SourceColumns columns{{"a", "b", "c"}, {"", "int64"}};
  const Item real = Item::scalar(0.5, DType::Float64);
  EXPECT_NO_THROW(columns.require_type(0, real));
  EXPECT_THROW(columns.require_type(1, real), platform::Error);
  EXPECT_NO_THROW(columns.require_type(2, real));
}

TEST(SourceColumnsTest, WhatIsNoDataIsNamedByItsPlace) {
  try {
    refuse_value(1);
  } catch (const platform::Error& error) {
    EXPECT_NE(error.message().find("Data type of 2th item of the input or"), std::string::npos);
  }
}

TEST(FailureTextTest, BlocksSayWhoseFailureItIs) {
  EXPECT_NE(user_failure_text("raised here").find("- Python Call Stack: "), std::string::npos);
  EXPECT_EQ(pipeline_failure_text("no file").find("- Python Call Stack"), std::string::npos);
}

}  // namespace
}  // namespace mycel::data
