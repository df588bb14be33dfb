// SPDX-License-Identifier: Apache-2.0
#include "backend/cpu/scalar_executor.h"

#include <cmath>
#include <limits>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "backend/cpu/convert.h"
#include "operator/registry.h"

namespace mycel::cpu {
namespace {

using op::AttributeValue;
using tensor::DType;
using tensor::Shape;
using tensor::Strides;
using tensor::Tensor;
using testing::ElementsAre;

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kInf = std::numeric_limits<float>::infinity();

template <class T>
Tensor make(const Shape& shape, const std::vector<T>& values) {
  const Tensor result = Tensor::empty(shape, tensor::kDTypeOf<T>);
  std::copy(values.begin(), values.end(), result.data<T>());
  return result;
}

template <class T>
std::vector<T> read(const Tensor& tensor) {
  const Tensor dense = tensor::contiguous(tensor);
  return std::vector<T>(dense.data<T>(), dense.data<T>() + dense.size());
}

Tensor run(std::string_view name, std::vector<Tensor> inputs,
           std::vector<AttributeValue> attributes = {}) {
  const op::OpDef& definition = op::find(name);
  Shape shape = inputs[0].shape();
  for (const Tensor& input : inputs) shape = tensor::broadcast_shapes(shape, input.shape(), name);
  const DType type = op::elementwise_compute_type(definition, inputs);
  Tensor output = Tensor::empty(shape, op::elementwise_result_type(definition, type));
  run_program(bound_program(definition, type), inputs, attributes, output);
  return output;
}

template <class T>
std::vector<T> run_pair(std::string_view name, std::vector<T> a, std::vector<T> b) {
  const auto n = static_cast<std::int64_t>(a.size());
  return read<T>(run(name, {make<T>({n}, a), make<T>({n}, b)}));
}

TEST(ScalarExecutorTest, IntegerDivisionByZeroGivesLimitsAndRemainderZero) {
  constexpr auto kMax = std::numeric_limits<std::int32_t>::max();
  constexpr auto kMin = std::numeric_limits<std::int32_t>::min();
  EXPECT_THAT(run_pair<std::int32_t>("floor_div", {5, -5, 0}, {0, 0, 0}),
              ElementsAre(kMax, kMin, 0));
  EXPECT_THAT(run_pair<std::int32_t>("floor_mod", {5, -5, 0}, {0, 0, 0}), ElementsAre(0, 0, 0));
}

TEST(ScalarExecutorTest, SmallestIntegerDividedByMinusOneDoesNotTrap) {
  constexpr auto kMin = std::numeric_limits<std::int64_t>::min();
  EXPECT_THAT(run_pair<std::int64_t>("floor_div", {kMin}, {-1}), ElementsAre(kMin));
  EXPECT_THAT(run_pair<std::int64_t>("truncate_mod", {kMin}, {-1}), ElementsAre(0));
}

TEST(ScalarExecutorTest, FloorDivisionAndRemainderFollowTheDivisor) {
  EXPECT_THAT(run_pair<std::int8_t>("floor_div", {7, -7, 7, -7}, {3, 3, -3, -3}),
              ElementsAre(2, -3, -3, 2));
  EXPECT_THAT(run_pair<std::int8_t>("floor_mod", {7, -7, 7, -7}, {3, 3, -3, -3}),
              ElementsAre(1, 2, -2, -1));
  EXPECT_THAT(run_pair<std::int8_t>("truncate_mod", {7, -7, 7, -7}, {3, 3, -3, -3}),
              ElementsAre(1, -1, 1, -1));
}

TEST(ScalarExecutorTest, IntegerPowerAndShifts) {
  EXPECT_THAT(run_pair<std::int32_t>("pow", {2, 1, -1, -1, 0, 0, 3}, {-1, -5, -3, -2, -1, 0, 4}),
              ElementsAre(0, 1, -1, 1, 0, 1, 81));
  EXPECT_THAT(run_pair<std::int32_t>("bitwise_left_shift", {1, 1, 1}, {31, 32, 3}),
              ElementsAre(std::numeric_limits<std::int32_t>::min(), 0, 8));
  EXPECT_THAT(run_pair<std::int32_t>("bitwise_right_shift", {-8, -8, 8}, {1, 40, 40}),
              ElementsAre(-4, -1, 0));
}

TEST(ScalarExecutorTest, OverflowWraps) {
  EXPECT_THAT(run_pair<std::int8_t>("add", {100, 127}, {100, 1}), ElementsAre(-56, -128));
  EXPECT_THAT(run_pair<std::uint8_t>("sub", {0}, {1}), ElementsAre(255));
}

TEST(ScalarExecutorTest, NanSurvivesMaximumSignAndClamp) {
  EXPECT_TRUE(std::isnan(run_pair<float>("maximum", {kNan}, {1})[0]));
  EXPECT_TRUE(std::isnan(run_pair<float>("maximum", {1}, {kNan})[0]));
  EXPECT_TRUE(std::isnan(run_pair<float>("minimum", {1}, {kNan})[0]));
  EXPECT_TRUE(std::isnan(read<float>(run("sign", {make<float>({1}, {kNan})}))[0]));
}

TEST(ScalarExecutorTest, RoundsHalvesToEven) {
  EXPECT_THAT(read<float>(run("round", {make<float>({4}, {0.5F, 1.5F, 2.5F, -0.5F})})),
              ElementsAre(0.F, 2.F, 2.F, -0.F));
}

TEST(ScalarExecutorTest, SigmoidAndTanhStayFinite) {
  EXPECT_THAT(read<float>(run("sigmoid", {make<float>({3}, {-1000, 0, 1000})})),
              ElementsAre(0.F, 0.5F, 1.F));
  EXPECT_THAT(read<float>(run("tanh", {make<float>({3}, {-kInf, 0, kInf})})),
              ElementsAre(-1.F, 0.F, 1.F));
}

TEST(ScalarExecutorTest, MixedTypesAreConvertedOnTheWay) {
  const Tensor sum =
      run("add", {make<std::int32_t>({3}, {1, 2, 3}), make<float>({3}, {0.5F, 0.25F, 0})});
  EXPECT_EQ(sum.dtype(), DType::Float32);
  EXPECT_THAT(read<float>(sum), ElementsAre(1.5F, 2.25F, 3.F));
}

TEST(ScalarExecutorTest, BoolAdditionIsOr) {
  const Tensor sum = run("add", {make<std::uint8_t>({2}, {1, 0}), make<std::uint8_t>({2}, {1, 0})});
  EXPECT_THAT(read<std::uint8_t>(sum), ElementsAre(2, 0));
  const Tensor a = Tensor::empty({2}, DType::Bool);
  a.data<bool>()[0] = true;
  a.data<bool>()[1] = false;
  EXPECT_THAT(read<bool>(run("add", {a, a})), ElementsAre(true, false));
  EXPECT_THAT(read<bool>(run("invert", {a})), ElementsAre(false, true));
}

TEST(ScalarExecutorTest, StridedAndNegativeAndStretchedOperands) {
  const Tensor base = make<float>({2, 3}, {0, 1, 2, 3, 4, 5});
  const Tensor transposed = Tensor::view(base, {3, 2}, {1, 3}, 0);
  const Tensor flipped = Tensor::view(base, {3, 2}, {-2, -1}, 5);
  EXPECT_THAT(read<float>(run("add", {transposed, flipped})), ElementsAre(5, 7, 4, 6, 3, 5));
  const Tensor column = make<float>({3, 1}, {10, 20, 30});
  const Tensor row = make<float>({2}, {1, 2});
  EXPECT_THAT(read<float>(run("add", {column, row})), ElementsAre(11, 12, 21, 22, 31, 32));
}

// Every combination of long and short rows against a plain loop.
TEST(ScalarExecutorTest, StretchedOperandsOfManyShapes) {
  for (const std::int64_t rows : {1, 3, 700}) {
    for (const std::int64_t columns : {1, 5, 127, 128, 1500}) {
      const Tensor column = Tensor::empty({rows, 1}, DType::Float32);
      const Tensor row = Tensor::empty({columns}, DType::Float64);
      for (std::int64_t r = 0; r < rows; ++r) column.data<float>()[r] = static_cast<float>(r);
      for (std::int64_t c = 0; c < columns; ++c)
        row.data<double>()[c] = 0.5 * static_cast<double>(c);
      const std::vector<double> sums = read<double>(run("squared_difference", {column, row}));
      for (std::int64_t i = 0; i < rows * columns; ++i) {
        const double d = static_cast<double>(i / columns) - 0.5 * static_cast<double>(i % columns);
        ASSERT_EQ(sums[static_cast<std::size_t>(i)], d * d)
            << rows << " x " << columns << " at " << i;
      }
    }
  }
}

TEST(ScalarExecutorTest, ValueDoesNotDependOnPosition) {
  const std::vector<float> values(1001, 0.7F);
  for (const char* name : {"exp", "tanh", "erf", "log", "sin", "sigmoid"}) {
    const std::vector<float> results = read<float>(run(name, {make<float>({1001}, values)}));
    EXPECT_THAT(results, testing::Each(results[0])) << name;
  }
}

TEST(ScalarExecutorTest, OutputThatIsAnInputShiftedIsComputedFromTheOldValues) {
  const Tensor base = make<float>({4}, {1, 2, 3, 4});
  const Tensor head = Tensor::view(base, {3}, {1}, 0);
  const Tensor tail = Tensor::view(base, {3}, {1}, 1);
  const Tensor inputs[] = {tail, head};
  run_program(bound_program(op::find("add"), DType::Float32), inputs, {}, tail);
  EXPECT_THAT(read<float>(base), ElementsAre(1, 3, 5, 7));
}

TEST(ConvertElementsTest, FloatToIntegerSaturatesAndNanIsZero) {
  const Tensor source = make<float>({5}, {kNan, kInf, -kInf, -1.7F, 300});
  const Tensor wide = Tensor::empty({5}, DType::Int32);
  convert_elements(source, wide);
  EXPECT_THAT(read<std::int32_t>(wide),
              ElementsAre(0, 2147483647, std::numeric_limits<std::int32_t>::min(), -1, 300));
  const Tensor narrow = Tensor::empty({5}, DType::UInt8);
  convert_elements(source, narrow);
  EXPECT_THAT(read<std::uint8_t>(narrow), ElementsAre(0, 255, 0, 0, 255));
}

TEST(ConvertElementsTest, HalvesRoundToEvenAndOverflowToInfinity) {
  const Tensor source = make<float>({2}, {65519, 65520});
  const Tensor half = Tensor::empty({2}, DType::Float16);
  convert_elements(source, half);
  EXPECT_EQ(static_cast<float>(half.data<tensor::Float16>()[0]), 65504.F);
  EXPECT_EQ(static_cast<float>(half.data<tensor::Float16>()[1]), kInf);
}

}  // namespace
}  // namespace mycel::cpu
