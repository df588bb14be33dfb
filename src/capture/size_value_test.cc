// SPDX-License-Identifier: Apache-2.0
#include "capture/size_value.h"

#include <gtest/gtest.h>

#include "capture/recorder_harness.h"

namespace mycel::capture {
namespace {

using ir::SizeOperation;

SizeValue whole(std::int64_t value) { return SizeValue(SizeNumber::of(value)); }

// A tensor of two rows and three columns whose lengths a script knows.
class SizeValueTest : public ::testing::Test {
 protected:
  SizeValueTest()
      : given_(tensor::Tensor::empty({2, 3}, tensor::DType::Float32)),
        recorder_(testing::Trace().run({given_}), std::span(&given_, 1), testing::compile,
                  testing::somewhere, "f"),
        writer_(std::make_unique<ScriptWriter>(recorder_, 1, testing::somewhere)) {}
  ~SizeValueTest() override {
    writer_.reset();
    recorder_.discard();
  }

  tensor::Tensor given_;
  Recorder recorder_;
  std::unique_ptr<ScriptWriter> writer_;
};

TEST_F(SizeValueTest, ANumberOfAWriterThatIsGoneIsPlain) {
  const SizeValue rows = SizeValue::length(*writer_, recorder_.argument(0), 0);
  EXPECT_EQ(rows.writer(), writer_.get());
  EXPECT_FALSE(was_used_elsewhere(*writer_));
  writer_.reset();
  writer_ = std::make_unique<ScriptWriter>(recorder_, 1, testing::somewhere);
  EXPECT_EQ(rows.writer(), nullptr);
  EXPECT_EQ(rows.plain().whole, 2);
  EXPECT_FALSE(combined(SizeOperation::Add, rows, whole(1)));
  EXPECT_FALSE(compared(SizeComparison::Equal, rows, whole(2)));
  EXPECT_FALSE(was_used_elsewhere(*writer_));
}

TEST_F(SizeValueTest, ArithmeticMakesExpressions) {
  const SizeValue rows = SizeValue::length(*writer_, recorder_.argument(0), 0);
  const std::optional<SizeValue> more = combined(SizeOperation::Add, rows, whole(5));
  ASSERT_TRUE(more);
  EXPECT_EQ(more->now().whole, 7);
  EXPECT_EQ(more->writer(), writer_.get());
  EXPECT_FALSE(combined(SizeOperation::FloorDivide, rows, whole(0)));
}

TEST_F(SizeValueTest, ComparisonsSayTheirOutcome) {
  const SizeValue columns = SizeValue::length(*writer_, recorder_.argument(0), 1);
  EXPECT_EQ(compared(SizeComparison::Less, columns, whole(4)), true);
  EXPECT_TRUE(columns.is_true());
}

TEST_F(SizeValueTest, ElementsAreCountedByLengths) {
  const std::optional<SizeValue> bytes = element_count(*writer_, recorder_.argument(0), 4);
  ASSERT_TRUE(bytes);
  EXPECT_EQ(bytes->now().whole, 24);
  EXPECT_FALSE(bytes->is_constant());
}

}  // namespace
}  // namespace mycel::capture
