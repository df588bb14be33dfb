// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "capture/declined.h"
#include "capture/recorder.h"
#include "capture/recorder_harness.h"

namespace mycel::capture {
namespace {

using namespace testing;

// y = x; while sum(y) < limit: y = y * 2 + x
std::vector<Tensor> doubled(const std::vector<Tensor>& x) {
  Recorder& recorder = *current_recorder();
  const Tensor initial[] = {x[0]};
  std::vector<Tensor> state = recorder.begin_loop(initial);
  state = recorder.begin_turn(call("less", {call("reduce_sum", {state[0]}), x[1]}));
  const Tensor next[] = {call("add", {call("add", {state[0], state[0]}), x[0]})};
  return recorder.end_loop(next);
}

TEST(RecordedRegionsTest, ALoopIsOneProgramForAnyNumberOfTurns) {
  Trace trace;
  EXPECT_EQ(values_of(record(trace, {floats({1, 2}), floats({20})}, doubled)[0]),
            (std::vector<float>{7, 14}));
  EXPECT_EQ(values_of(replay(trace, {floats({1, 2}), floats({20})})[0]),
            (std::vector<float>{7, 14}));
  EXPECT_EQ(values_of(replay(trace, {floats({1, 2}), floats({2})})[0]), (std::vector<float>{1, 2}));
  EXPECT_EQ(values_of(replay(trace, {floats({1, 0}), floats({1000})})[0]),
            (std::vector<float>{1023, 0}));
  EXPECT_EQ(trace.ways->step_count(), 1U);
}

TEST(RecordedRegionsTest, BothSidesOfADecisionAreRecorded) {
  Trace trace;
  const auto function = [](const std::vector<Tensor>& x) {
    Recorder& recorder = *current_recorder();
    recorder.begin_branch(call("less", {x[0], x[1]}));
    const Tensor first[] = {call("add", {x[0], x[1]})};
    recorder.begin_other_branch(first);
    const Tensor other[] = {x[0]};
    return recorder.end_branch(other);
  };
  EXPECT_EQ(values_of(record(trace, {floats({1}), floats({2})}, function)[0]),
            (std::vector<float>{3}));
  EXPECT_EQ(values_of(replay(trace, {floats({5}), floats({2})})[0]), (std::vector<float>{5}));
}

// Memory from outside is written turn by turn, and read as it is then.
TEST(RecordedRegionsTest, WritesToMemoryReachItTurnByTurn) {
  Trace trace;
  const Tensor memory = floats({1});
  memory.body().is_parameter = true;
  const auto function = [&](const std::vector<Tensor>& x) {
    Recorder& recorder = *current_recorder();
    const Tensor initial[] = {x[0]};
    std::vector<Tensor> state = recorder.begin_loop(initial);
    state = recorder.begin_turn(call("less", {memory, x[1]}));
    const Tensor next[] = {call("add", {state[0], memory})};
    call("assign", {memory, call("add", {memory, memory})});
    std::vector<Tensor> results = recorder.end_loop(next);
    results.push_back(call("neg", {memory}));
    return results;
  };
  std::vector<Tensor> results = record(trace, {floats({0}), floats({10})}, function);
  EXPECT_EQ(values_of(results[0]), (std::vector<float>{15}));  // 1 + 2 + 4 + 8
  EXPECT_EQ(values_of(results[1]), (std::vector<float>{-16}));
  EXPECT_EQ(values_of(memory), (std::vector<float>{16}));
  memory.data<float>()[0] = 3;
  results = replay(trace, {floats({0}), floats({10})});
  EXPECT_EQ(values_of(results[0]), (std::vector<float>{9}));
  EXPECT_EQ(values_of(memory), (std::vector<float>{12}));
}

TEST(RecordedRegionsTest, ALoopInALoop) {
  Trace trace;
  const auto function = [](const std::vector<Tensor>& x) {
    Recorder& recorder = *current_recorder();
    const Tensor initial[] = {x[0], x[0]};
    std::vector<Tensor> outer = recorder.begin_loop(initial);
    outer = recorder.begin_turn(call("less", {outer[0], x[1]}));
    const Tensor inner_initial[] = {outer[0]};
    std::vector<Tensor> inner = recorder.begin_loop(inner_initial);
    inner = recorder.begin_turn(call("less", {inner[0], outer[1]}));
    const Tensor inner_next[] = {call("add", {inner[0], x[0]})};
    const Tensor reached = recorder.end_loop(inner_next)[0];
    const Tensor next[] = {call("add", {outer[0], x[0]}), call("add", {outer[1], reached})};
    return recorder.end_loop(next);
  };
  float a = 1, b = 1;
  while (a < 5) {
    float c = a;
    while (c < b) c += 1;
    b += c;
    a += 1;
  }
  const std::vector<Tensor> results = record(trace, {floats({1}), floats({5})}, function);
  EXPECT_EQ(values_of(results[0]), (std::vector<float>{a}));
  EXPECT_EQ(values_of(results[1]), (std::vector<float>{b}));
}

// What cannot be a region says so, and the run goes on as if nobody had tried.
TEST(RecordedRegionsTest, ADroppedRegionLeavesNothingBehind) {
  const auto with_trial = [](const auto& trial) {
    Trace trace;
    const auto function = [&](const std::vector<Tensor>& x) {
      Recorder& recorder = *current_recorder();
      const Tensor doubled = call("add", {x[0], x[0]});
      const Tensor initial[] = {x[0]};
      std::vector<Tensor> state = recorder.begin_loop(initial);
      state = recorder.begin_turn(call("less", {state[0], doubled}));
      EXPECT_THROW(trial(recorder, state, doubled), Declined);
      recorder.drop_regions(0);
      return std::vector<Tensor>{call("neg", {doubled})};
    };
    EXPECT_EQ(values_of(record(trace, {floats({3})}, function)[0]), (std::vector<float>{-6}));
    EXPECT_EQ(values_of(replay(trace, {floats({4})})[0]), (std::vector<float>{-8}));
  };
  with_trial([](Recorder&, const std::vector<Tensor>& state, const Tensor&) {
    return values_of(call("neg", {state[0]}));  // a look
  });
  with_trial([](Recorder&, const std::vector<Tensor>& state, const Tensor& outside) {
    return call("assign", {outside, state[0]});
  });
  with_trial([](Recorder& recorder, const std::vector<Tensor>& state, const Tensor&) {
    const Tensor next[] = {call("less", {state[0], state[0]})};  // of another type
    return recorder.end_loop(next);
  });
}

TEST(RecordedRegionsTest, ValuesOfATurnMeanNothingOutsideOfIt) {
  Trace trace;
  const auto function = [](const std::vector<Tensor>& x) {
    Recorder& recorder = *current_recorder();
    const Tensor initial[] = {x[0]};
    std::vector<Tensor> state = recorder.begin_loop(initial);
    state = recorder.begin_turn(call("less", {state[0], x[1]}));
    const Tensor kept = call("add", {state[0], x[1]});
    const Tensor next[] = {kept};
    std::vector<Tensor> results = recorder.end_loop(next);
    EXPECT_THROW(call("neg", {kept}), Declined);
    return results;
  };
  EXPECT_EQ(values_of(record(trace, {floats({1}), floats({2})}, function)[0]),
            (std::vector<float>{3}));
}

}  // namespace
}  // namespace mycel::capture
