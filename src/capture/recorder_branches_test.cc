// SPDX-License-Identifier: Apache-2.0
// Gradients of recorded decisions; random_gradients_test.cc compares many more with a tape.
#include <cmath>

#include <gtest/gtest.h>

#include "capture/declined.h"
#include "capture/recorder.h"
#include "capture/recorder_harness.h"
#include "device/pool.h"
#include "eager/aliases.h"
#include "eager/gradient_call.h"

namespace mycel::capture {
namespace {

using namespace testing;
using eager::GradientCall;

// y = sin(x) * w if x < w else x
Tensor decided(const Tensor& x, const Tensor& w) {
  Recorder& recorder = *current_recorder();
  recorder.begin_branch(call("less", {x, w}));
  const Tensor first[] = {call("mul", {call("sin", {x}), w})};
  recorder.begin_other_branch(first);
  const Tensor other[] = {x};
  return recorder.end_branch(other)[0];
}

template <class Function>
std::vector<Tensor> gradients_of(const Function& function, const std::vector<Tensor>& arguments) {
  GradientCall gradient;
  std::vector<Tensor> watched;
  for (const Tensor& argument : arguments) watched.push_back(gradient.watch(argument));
  const Tensor y = function(watched);
  gradient.end_forward();
  const Tensor seed;
  std::vector<Tensor> found = gradient.backward({&y, 1}, {&seed, 1}, false);
  found.push_back(y);
  return found;
}

using Numbers = std::vector<float>;

TEST(BranchGradientsTest, AreThoseOfTheSideTaken) {
  Trace trace;
  const auto function = [](const std::vector<Tensor>& x) {
    return gradients_of([](const std::vector<Tensor>& v) { return decided(v[0], v[1]); }, x);
  };
  const auto check = [](const std::vector<Tensor>& found, float x, float w) {
    const bool is_first = x < w;
    EXPECT_EQ(values_of(found[0]), (Numbers{is_first ? w * std::cos(x) : 1}));
    EXPECT_EQ(values_of(found[1]), (Numbers{is_first ? std::sin(x) : 0}));
  };
  check(record(trace, {floats({0.5F}), floats({2})}, function), 0.5F, 2);
  for (const float x : {0.5F, 3.0F, 1.0F, 2.0F})
    check(replay(trace, {floats({x}), floats({2})}), x, 2);
  EXPECT_EQ(trace.ways->step_count(), 1U);
}

// What was given a gradient before it keeps that on a side that gives it none.
TEST(BranchGradientsTest, AreAddedToWhatLaterCallsGive) {
  Trace trace;
  const auto function = [](const std::vector<Tensor>& x) {
    return gradients_of(
        [](const std::vector<Tensor>& v) {
          const Tensor y = decided(v[0], v[1]);
          return call("add", {y, call("mul", {v[1], v[1]})});
        },
        x);
  };
  record(trace, {floats({1}), floats({2})}, function);
  std::vector<Tensor> found = replay(trace, {floats({1}), floats({2})});
  EXPECT_EQ(values_of(found[1]), (Numbers{4 + std::sin(1.0F)}));
  found = replay(trace, {floats({3}), floats({2})});
  EXPECT_EQ(values_of(found[0]), (Numbers{1}));
  EXPECT_EQ(values_of(found[1]), (Numbers{4}));
}

// A run that is no longer recorded walks the side that it has taken.
TEST(BranchGradientsTest, AreThereWhenTheRecorderIsLeft) {
  for (const float x : {1.0F, 3.0F}) {
    const std::vector<Tensor> given{floats({x}), floats({2})};
    Recorder recorder(Trace().run(given), given, compile, somewhere, "f");
    const std::vector<Tensor> found = gradients_of(
        [&](const std::vector<Tensor>& v) {
          const Tensor y = decided(v[0], v[1]);
          recorder.abandon("the test says so");
          return y;
        },
        {recorder.argument(0), recorder.argument(1)});
    EXPECT_EQ(values_of(found[0]), (Numbers{x < 2 ? 2 * std::cos(x) : 1}));
  }
}

TEST(BranchGradientsTest, ADecisionWithoutGradientsIsAValueLikeOthers) {
  Trace trace;
  const auto function = [](const std::vector<Tensor>& x) {
    const auto multiplied = [&](const std::vector<Tensor>& v) {
      Recorder& recorder = *current_recorder();
      recorder.begin_branch(call("less", {v[0], x[1]}));
      const Tensor first[] = {x[0]};
      recorder.begin_other_branch(first);
      const Tensor other[] = {call("neg", {x[0]})};
      return call("mul", {v[0], recorder.end_branch(other)[0]});
    };
    return gradients_of(multiplied, {x[0]});
  };
  record(trace, {floats({1}), floats({2})}, function);
  EXPECT_EQ(values_of(replay(trace, {floats({3}), floats({2})})[0]), (Numbers{-3}));
}

// Sides with writes that a gradient would have to follow are no sides.
TEST(BranchGradientsTest, WritesOfWhatIsDifferentiatedAreDeclined) {
  Trace trace;
  const auto function = [](const std::vector<Tensor>& x) {
    GradientCall gradient;
    const Tensor v = gradient.watch(x[0]);
    Recorder& recorder = *current_recorder();
    recorder.begin_branch(call("less", {v, x[1]}));
    const Tensor result = call("sin", {v});
    eager::record_overwrite(v, result);
    const Tensor first[] = {result};
    EXPECT_THROW(recorder.begin_other_branch(first), Declined);
    recorder.drop_regions(0);
    return std::vector<Tensor>{call("neg", {x[1]})};
  };
  EXPECT_EQ(values_of(record(trace, {floats({3}), floats({1})}, function)[0]), (Numbers{-1}));
}

// A turn that takes a side without values keeps none, however many the other one has.
TEST(BranchGradientsTest, OnlySidesThatAreTakenKeepValues) {
  constexpr std::int64_t kElements = 16384, kTurns = 100;
  Trace trace;
  const auto function = [](const std::vector<Tensor>& x) {
    const auto looped = [&](const std::vector<Tensor>& v) {
      Recorder& recorder = *current_recorder();
      const Tensor one = eager::number_tensor(std::int64_t{1});
      const Tensor initial[] = {v[0], x[1]};
      std::vector<Tensor> state = recorder.begin_loop(initial);
      state =
          recorder.begin_turn(call("less", {state[1], eager::number_tensor(std::int64_t{kTurns})}));
      recorder.begin_branch(call("less", {state[1], x[2]}));
      const Tensor first[] = {call("cos", {call("sin", {call("exp", {state[0]})})})};
      recorder.begin_other_branch(first);
      const Tensor other[] = {call("neg", {state[0]})};
      const Tensor next[] = {recorder.end_branch(other)[0], call("add", {state[1], one})};
      return call("reduce_sum", {recorder.end_loop(next)[0]});
    };
    return std::vector<Tensor>{gradients_of(looped, {x[0]})[0]};
  };
  const auto whole = [](std::int64_t number) {
    const Tensor tensor = Tensor::empty({}, DType::Int64);
    *tensor.data<std::int64_t>() = number;
    return tensor;
  };
  const Tensor x = Tensor::empty({kElements}, DType::Float32);
  std::fill_n(x.data<float>(), kElements, 0.1F);
  record(trace, {x, whole(0), whole(1)}, function);
  const auto peak = [&](std::int64_t turns) {
    device::reset_peak_statistics({});
    const std::size_t before = device::memory_statistics({}).in_use;
    replay(trace, {x, whole(0), whole(turns)});
    return device::memory_statistics({}).peak_in_use - before;
  };
  const std::size_t bytes = kElements * sizeof(float);
  const std::size_t few = peak(1), many = peak(kTurns);
  EXPECT_LT(few, (kTurns + 20) * bytes);  // of each turn what it begins with
  EXPECT_GT(many, few + kTurns * bytes);
}

}  // namespace
}  // namespace mycel::capture
