// SPDX-License-Identifier: Apache-2.0
#include "eager/gradient_call.h"

#include <cmath>
#include <memory>

#include <gtest/gtest.h>

#include "eager/dispatch.h"
#include "operator/registry.h"
#include "platform/error/error.h"

namespace mycel::eager {
namespace {

using op::Value;
using tensor::DType;

Tensor vector_of(std::vector<double> values) {
  Tensor tensor = Tensor::empty({static_cast<std::int64_t>(values.size())}, DType::Float64);
  std::copy(values.begin(), values.end(), tensor.data<double>());
  return tensor;
}

Value value(const Tensor& tensor) { return {&emitter(), tensor}; }
Tensor product(const Tensor& a, const Tensor& b) { return (value(a) * value(b)).tensor(); }
Tensor sine(const Tensor& a) { return emitter().call("sin", {value(a)}).tensor(); }
double first(const Tensor& tensor) { return tensor.data<double>()[0]; }

std::vector<Tensor> gradients(GradientCall& call, const Tensor& output, bool keep = false) {
  const Tensor seed;
  return call.backward(std::span<const Tensor>(&output, 1), std::span<const Tensor>(&seed, 1),
                       keep);
}

TEST(GradientCallTest, NothingIsRecordedOutsideOfACall) {
  const Tensor y = sine(vector_of({1}));
  EXPECT_FALSE(y.body().history);
}

TEST(GradientCallTest, ProductRule) {
  GradientCall call;
  const Tensor x = call.watch(vector_of({3}));
  const Tensor y = call.watch(vector_of({5}));
  const Tensor z = product(x, y);
  call.end_forward();
  const auto result = gradients(call, z);
  EXPECT_DOUBLE_EQ(first(result[0]), 5);
  EXPECT_DOUBLE_EQ(first(result[1]), 3);
}

TEST(GradientCallTest, UnusedInputHasNoGradient) {
  GradientCall call;
  const Tensor x = call.watch(vector_of({3}));
  call.watch(vector_of({5}));
  const Tensor z = sine(x);
  call.end_forward();
  const auto result = gradients(call, z);
  EXPECT_TRUE(result[0].defined());
  EXPECT_FALSE(result[1].defined());
}

TEST(GradientCallTest, SameTensorTwiceGetsAGradientEach) {
  const Tensor shared = vector_of({2});
  GradientCall call;
  const Tensor a = call.watch(shared);
  const Tensor b = call.watch(shared);
  const Tensor z = product(a, product(b, b));
  call.end_forward();
  const auto result = gradients(call, z);
  EXPECT_DOUBLE_EQ(first(result[0]), 4);
  EXPECT_DOUBLE_EQ(first(result[1]), 8);
}

TEST(GradientCallTest, ThirdDerivativeBySelfNesting) {
  // f = sin(x); f''' = -cos(x)
  const Tensor start = vector_of({0.3});
  GradientCall outer;
  const Tensor x1 = outer.watch(start);
  GradientCall middle;
  const Tensor x2 = middle.watch(x1);
  GradientCall inner;
  const Tensor x3 = inner.watch(x2);
  const Tensor y = sine(x3);
  inner.end_forward();
  const Tensor dy = gradients(inner, y)[0];
  middle.end_forward();
  const Tensor ddy = gradients(middle, dy)[0];
  outer.end_forward();
  const Tensor dddy = gradients(outer, ddy)[0];
  EXPECT_NEAR(first(dddy), -std::cos(0.3), 1e-12);
}

TEST(GradientCallTest, SavedValueThatWasOverwrittenIsAnError) {
  GradientCall call;
  const Tensor x = call.watch(vector_of({3}));
  const Tensor y = sine(x);
  const Tensor z = product(y, y);
  y.storage().bump_version();
  call.end_forward();
  EXPECT_THROW(gradients(call, z), platform::Error);
}

TEST(GradientCallTest, WalkReleasesWhatItPassed) {
  GradientCall call;
  const Tensor x = call.watch(vector_of({3}));
  const Tensor y = sine(x);
  const Tensor z = product(y, y);
  call.end_forward();
  gradients(call, z);
  EXPECT_TRUE(static_cast<Node*>(z.body().history.get())->released);
}

TEST(GradientCallTest, KeptCallCanBeWalkedAgain) {
  GradientCall call;
  const Tensor x = call.watch(vector_of({3}));
  const Tensor z = product(x, x);
  call.end_forward();
  EXPECT_DOUBLE_EQ(first(gradients(call, z, true)[0]), 6);
  EXPECT_DOUBLE_EQ(first(gradients(call, z, true)[0]), 6);
}

TEST(GradientCallTest, ParameterIsRestoredAfterwards) {
  const Tensor parameter = vector_of({4});
  GradientCall call;
  call.watch_parameter(parameter);
  const Tensor z = product(parameter, parameter);
  call.end_forward();
  EXPECT_FALSE(parameter.body().history);
  EXPECT_DOUBLE_EQ(first(gradients(call, z)[0]), 8);
}

TEST(GradientCallTest, HookReplacesTheGradient) {
  GradientCall call;
  const Tensor x = call.watch(vector_of({3}));
  const Tensor y = product(x, x);
  ASSERT_NE(add_hook(y, [](const Tensor& gradient) { return (value(gradient) * 10.0).tensor(); }),
            0);
  const Tensor z = sine(y);
  call.end_forward();
  EXPECT_NEAR(first(gradients(call, z)[0]), 10 * std::cos(9.0) * 6, 1e-9);
}

TEST(GradientCallTest, TensorOutlivingItsScopeIsOrdinary) {
  Tensor survivor;
  {
    GradientCall call;
    survivor = sine(call.watch(vector_of({1})));
    call.end_forward();
  }
  GradientCall next;
  EXPECT_FALSE(is_tracked(survivor));
  next.end_forward();
}

TEST(GradientCallTest, BroadcastGradientHasTheInputsShape) {
  GradientCall call;
  const Tensor x = call.watch(vector_of({3}));
  const Tensor y = call.watch(vector_of({1, 2, 3, 4}));
  const Tensor z = product(x, y);
  call.end_forward();
  const auto result = gradients(call, z);
  EXPECT_EQ(result[0].shape(), (tensor::Shape{1}));
  EXPECT_DOUBLE_EQ(first(result[0]), 10);
}

TEST(GradientCallTest, APartOfTheTapeIsCutOut) {
  GradientCall outer;
  const Tensor x = outer.watch(vector_of({3}));
  const Tensor y = product(x, x);
  auto inner = std::make_unique<GradientCall>();
  const Tensor stand_in = vector_of({2});
  inner->watch_stand_in(stand_in, x);
  const Tensor z = product(product(stand_in, y), y);
  inner->end_forward();
  EXPECT_TRUE(inner->has_computed(z));
  EXPECT_FALSE(inner->has_computed(y));
  EXPECT_FALSE(inner->has_computed(stand_in));
  std::size_t kept = 0;
  bool has_custom = true;
  const auto outside = inner->cut(
      std::span<const Tensor>(&z, 1), [&](Saved&) { ++kept; }, has_custom);
  outer.end_forward();
  ASSERT_EQ(outside.size(), 1U);
  EXPECT_EQ(outside[0].node.get(), y.body().history.get());
  EXPECT_EQ(kept, 4U);
  EXPECT_FALSE(has_custom);
  for (int turn = 0; turn < 2; ++turn) {
    const auto result = gradients(*inner, z, true);
    ASSERT_EQ(result.size(), 2U);
    EXPECT_DOUBLE_EQ(first(result[0]), 81);
    EXPECT_DOUBLE_EQ(first(result[1]), 36);
  }
  // Until it is told to forget it, what lies outside is reached through the cut.
  EXPECT_DOUBLE_EQ(first(gradients(outer, z, true)[0]), 81 + 36 * 6);
  inner->forget_outside();
  EXPECT_FALSE(gradients(outer, z)[0].defined());
}

}  // namespace
}  // namespace mycel::eager
