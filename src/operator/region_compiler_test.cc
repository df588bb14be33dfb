// SPDX-License-Identifier: Apache-2.0
#include "operator/region_compiler.h"

#include <gtest/gtest.h>

namespace mycel::op {
namespace {

using tensor::DType;
using tensor::Tensor;

RegionStep formula(std::vector<std::size_t> operands) {
  RegionStep step;
  step.operands = std::move(operands);
  step.formula.steps = {{.op = ScalarOp::Input},
                        {.op = ScalarOp::Input, .index = 1},
                        {.op = ScalarOp::Add, .args = {0, 1, 0}}};
  step.formula.input_count = 2;
  return step;
}

// x + y, y stretched along the first axis.
RegionProgram sum_program() {
  RegionProgram program;
  program.space = {2, 3};
  program.is_reduced = {false, false};
  program.arguments = {{DType::Float32, {2, 3}, false}, {DType::Float32, {3}, false}};
  program.loads = {{0, {0, 1}}, {1, {-1, 0}}};
  program.steps = {formula({0, 1})};
  program.results = {{2, {DType::Float32, {2, 3}, false}}};
  return program;
}

RegionLimits generous() {
  return {.arguments = 2,
          .results = 1,
          .steps = 2,
          .dtypes = {DType::Float32},
          .reductions = {ReduceKind::Sum}};
}

TEST(RegionCompilerTest, LimitsSayWhatIsTooMuch) {
  const RegionProgram fits = sum_program();
  EXPECT_EQ(excess(fits, generous()), "");
  RegionLimits less = generous();
  less.arguments = 1;
  EXPECT_EQ(excess(fits, less), "2 arguments");
  less = generous();
  less.results = 0;
  EXPECT_EQ(excess(fits, less), "1 results");
  less = generous();
  less.steps = 0;
  EXPECT_EQ(excess(fits, less), "1 steps");
  RegionProgram other = fits;
  other.arguments[1].dtype = DType::Float16;
  EXPECT_EQ(excess(other, generous()), "an argument of type Float16");
  other.arguments[1].is_number = true;  // Python's numbers are read on the host
  EXPECT_EQ(excess(other, generous()), "");
  other = fits;
  other.steps[0].computed = DType::Float64;
  EXPECT_EQ(excess(other, generous()), "a step in Float64");
  other = fits;
  other.steps.push_back(formula({2, 2}));
  other.steps.back().kind = RegionStep::Kind::Reduction;
  other.steps.back().reduction = ReduceKind::Max;
  EXPECT_EQ(excess(other, generous()), "a reduction of kind max");
}

TEST(RegionCompilerTest, OnlyWhatIsReadElementByElementIsOverwritten) {
  RegionProgram program = sum_program();
  EXPECT_TRUE(may_overwrite(program, 0, 0));
  EXPECT_FALSE(may_overwrite(program, 1, 0));  // its elements are read again
  program.loads.push_back({0, {0, -1}});       // and so are these
  EXPECT_FALSE(may_overwrite(program, 0, 0));
  program = sum_program();
  program.is_reduced = {false, true};  // a row is folded before its elements are written
  EXPECT_FALSE(may_overwrite(program, 0, 0));
}

TEST(RegionCompilerTest, ArgumentsAreSeenAlongTheAxesOfTheSpace) {
  const RegionProgram program = sum_program();
  const Tensor x = Tensor::empty({3, 2}, DType::Float32);
  const Tensor turned = Tensor::view(x, {2, 3}, {1, 2}, 0);
  const Tensor seen = seen_in_space(program, program.loads[0], turned);
  EXPECT_EQ(seen.shape(), (tensor::Shape{2, 3}));
  EXPECT_EQ(seen.strides(), (tensor::Strides{1, 2}));
  const Tensor row = seen_in_space(program, program.loads[1], Tensor::empty({3}, DType::Float32));
  EXPECT_EQ(row.shape(), (tensor::Shape{1, 3}));
  EXPECT_EQ(row.strides(), (tensor::Strides{0, 1}));
}

TEST(RegionCompilerTest, TextTellsProgramsApart) {
  const std::string text = to_text(sum_program());
  EXPECT_EQ(to_text(sum_program()), text);
  RegionProgram other = sum_program();
  other.steps[0].formula.steps[1] = {.op = ScalarOp::Constant, .number = 0.1};
  const std::string constant = to_text(other);
  EXPECT_NE(constant, text);
  other.steps[0].formula.steps[1].number = 0.1 + 1e-17 + 3e-17;
  EXPECT_NE(to_text(other), constant);  // one digit behind the sixteenth
}

TEST(RegionCompilerTest, HalvesAndNarrowIntegersAreAccumulatedInMore) {
  EXPECT_EQ(accumulation_type(ReduceKind::Sum, DType::Float16, DType::Float16), DType::Float32);
  EXPECT_EQ(accumulation_type(ReduceKind::Mean, DType::Float32, DType::Float64), DType::Float64);
  EXPECT_EQ(accumulation_type(ReduceKind::Prod, DType::Int8, DType::Int8), DType::Int64);
  EXPECT_EQ(accumulation_type(ReduceKind::Max, DType::BFloat16, DType::BFloat16), DType::Float32);
  EXPECT_EQ(accumulation_type(ReduceKind::Min, DType::Int8, DType::Int8), DType::Int8);
  EXPECT_EQ(accumulation_type(ReduceKind::Any, DType::Float32, DType::Bool), DType::Bool);
}

}  // namespace
}  // namespace mycel::op
