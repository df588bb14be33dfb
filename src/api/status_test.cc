// SPDX-License-Identifier: Apache-2.0
#include "include/api/status.h"

#include <gtest/gtest.h>

namespace mindspore {
namespace {

Status returns_code() { return kMCInvalidInput; }

TEST(StatusTest, CodesOfAnErrorAreEqualWhateverTheMessage) {
  const Status status(kMEFailed, "first");
  EXPECT_TRUE(status == Status(kMEFailed, "second"));
  EXPECT_TRUE(status == kMEFailed);
  EXPECT_TRUE(kMEFailed == status);
  EXPECT_TRUE(kSuccess != status);
  EXPECT_TRUE(status != kSuccess);
  EXPECT_FALSE(static_cast<bool>(status));
  EXPECT_EQ(static_cast<uint32_t>(static_cast<int>(status)), 0x20000001U);
}

TEST(StatusTest, SuccessIsWhatOneGetsWithoutACode) {
  EXPECT_TRUE(Status().IsOk());
  EXPECT_TRUE(static_cast<bool>(Status::OK()));
  EXPECT_EQ(Status().ToString(), "No error occurs.");
  EXPECT_EQ(Status().GetLineOfCode(), -1);
}

TEST(StatusTest, ACodeIsAStatus) {
  EXPECT_TRUE(returns_code().IsError());
  EXPECT_EQ(returns_code().ToString(), "Invalid input.");
  EXPECT_EQ(returns_code().GetErrDescription(), "Invalid input.");
}

TEST(StatusTest, CopiesDoNotShareTheirMessage) {
  Status first(kMCFailed, "before");
  const Status second = first;
  first.SetStatusMsg("after");
  EXPECT_EQ(first.ToString(), "after");
  EXPECT_EQ(second.ToString(), "before");
}

TEST(StatusTest, LineAndFileAreInTheMessage) {
  Status status(kMDSyntaxError, 42, "column.cc", "no column 'x'");
  EXPECT_EQ(status.ToString(),
            "Syntax error. no column 'x'\nLine of code : 42\nFile         : column.cc");
  EXPECT_EQ(status.GetLineOfCode(), 42);
  EXPECT_EQ(status.GetFileName(), "column.cc");
  EXPECT_EQ(status.GetErrDescription(), "no column 'x'");
  const std::string changed = status.SetErrDescription("no column 'y'");
  EXPECT_EQ(changed, status.ToString());
  EXPECT_NE(status.ToString().find("no column 'y'"), std::string::npos);
  EXPECT_EQ(Status(kMDSyntaxError, 1, nullptr).ToString().find("File"), std::string::npos);
}

TEST(StatusTest, TextsOfCodes) {
  EXPECT_EQ(Status::CodeAsString(kMDSyntaxError), "Syntax error");
  EXPECT_EQ(Status::CodeAsString(kLiteNullptr), "NULL pointer returned.");
  EXPECT_EQ(Status::CodeAsString(kLiteModelRebuild), "Unknown error");
  EXPECT_EQ(Status::CodeAsString(static_cast<enum StatusCode>(12345)), "Unknown error");
}

TEST(StatusTest, LiteCodesAreNegativeNumbers) {
  EXPECT_EQ(static_cast<int>(kLiteError), -1);
  EXPECT_EQ(static_cast<int>(kLiteModelRebuild), -12);
  EXPECT_EQ(static_cast<int>(kLiteReentrantError), -102);
  EXPECT_EQ(static_cast<int>(kLiteLLMWaitProcessTimeOut), -103);
  EXPECT_EQ(static_cast<int>(kLiteLLMBlockOutOfMemory), -120);
  EXPECT_EQ(static_cast<int>(kLiteGraphFileError), -200);
  EXPECT_EQ(static_cast<int>(kLiteOpExecuteFailure), -303);
  EXPECT_EQ(static_cast<int>(kLiteFormatError), -400);
  EXPECT_EQ(static_cast<int>(kLiteInferInvalid), -501);
  EXPECT_EQ(static_cast<int>(kLiteInputParamInvalid), -600);
}

}  // namespace
}  // namespace mindspore
