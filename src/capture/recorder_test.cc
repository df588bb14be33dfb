// SPDX-License-Identifier: Apache-2.0
#include "capture/recorder.h"

#include <cmath>

#include <gtest/gtest.h>

#include "capture/recorder_harness.h"
#include "eager/gradient_call.h"
#include "operator/registry.h"
#include "platform/error/error.h"

namespace mycel::capture {
namespace {

using namespace testing;

TEST(RecorderTest, WhatIsRecordedIsComputedAndReplayed) {
  Trace trace;
  const auto function = [](const std::vector<Tensor>& x) {
    return std::vector<Tensor>{call("mul", {call("add", {x[0], x[1]}), x[0]})};
  };
  const std::vector<Tensor> first = record(trace, {floats({1, 2}), floats({3, 4})}, function);
  EXPECT_EQ(values_of(first[0]), (std::vector<float>{4, 12}));
  const std::vector<Tensor> second = replay(trace, {floats({2, 2}), floats({1, 1})});
  EXPECT_EQ(values_of(second[0]), (std::vector<float>{6, 6}));
  EXPECT_EQ(trace.ways->step_count(), 1U);
}

TEST(RecorderTest, ALookIsAFork) {
  Trace trace;
  int runs = 0;
  const auto function = [&](const std::vector<Tensor>& x) {
    ++runs;
    const Tensor first = call("exp", {x[0]});
    const bool large = *first.data<float>() > 1;  // looks into a promise
    return std::vector<Tensor>{call(large ? "neg" : "square", {x[0]})};
  };
  EXPECT_EQ(values_of(record(trace, {floats({2})}, function)[0]), (std::vector<float>{-2}));
  EXPECT_EQ(trace.run({floats({-3})}).last->end, Step::End::Read);  // saw something new
  EXPECT_EQ(values_of(record(trace, {floats({-3})}, function)[0]), (std::vector<float>{9}));
  EXPECT_EQ(values_of(replay(trace, {floats({2})})[0]), (std::vector<float>{-2}));
  EXPECT_EQ(values_of(replay(trace, {floats({-3})})[0]), (std::vector<float>{9}));
  EXPECT_EQ(runs, 2);
}

TEST(RecorderTest, GradientsAreRecordedToo) {
  Trace trace;
  const auto function = [](const std::vector<Tensor>& x) {
    eager::GradientCall gradient;
    const Tensor watched = gradient.watch(x[0]);
    const Tensor y[] = {call("square", {watched})};
    gradient.end_forward();
    const Tensor seeds[] = {Tensor()};
    return gradient.backward(y, seeds, false);
  };
  EXPECT_EQ(values_of(record(trace, {floats({3, 5})}, function)[0]), (std::vector<float>{6, 10}));
  EXPECT_EQ(values_of(replay(trace, {floats({1, 2})})[0]), (std::vector<float>{2, 4}));
}

// Of the operators that a run has recorded, in order: "phase cell line".
std::vector<std::string> origins_in(const ir::Graph& graph) {
  std::vector<std::string> found;
  for (const ir::Node* node : graph.body().nodes()) {
    if (node->kind() == ir::NodeKind::Operator)
      found.push_back(platform::join(node->definition()->name, " ", op::name_of(node->phase()), " ",
                                     node->cell(), " ", node->position().line));
  }
  return found;
}

TEST(RecorderTest, NodesSayWhichCellAndPhaseTheyBelongTo) {
  int line = 0;
  const std::vector<Tensor> inputs = {floats({3, 5})};
  Recorder recorder(
      Trace().run(inputs), inputs, compile,
      [&] {
        return ir::Position{"net.py", line};
      },
      "f");
  eager::GradientCall gradient;
  const Tensor watched = gradient.watch(recorder.argument(0));
  const std::size_t first = op::enter_cell("Default/first-Square", std::nullopt);
  line = 1;
  const Tensor squared = call("square", {watched});
  op::leave_origin(first);
  const std::size_t second = op::enter_cell("Default/second-Exp", std::nullopt);
  line = 2;
  const Tensor y[] = {call("exp", {squared})};
  op::leave_origin(second);
  gradient.end_forward();
  line = 3;
  const Tensor seeds[] = {Tensor()};
  const std::vector<Tensor> gradients = gradient.backward(y, seeds, false);
  const std::size_t update = op::enter_cell("Default/optimizer-SGD", op::Phase::Update);
  line = 4;
  const Tensor result = call("neg", {gradients[0]});
  op::leave_origin(update);
  EXPECT_EQ(origins_in(recorder.draft()),
            (std::vector<std::string>{"square forward Default/first-Square 1",
                                      "exp forward Default/second-Exp 2",
                                      "exp_gradient0 backward Default/second-Exp 2",
                                      "square_gradient0 backward Default/first-Square 1",
                                      "neg update Default/optimizer-SGD 4"}));
  recorder.discard();
}

TEST(RecorderTest, OperatorsThatCommunicateAreAPhaseOfTheirOwn) {
  const op::OpDef& like = op::find("neg");
  op::OpDef collective;
  collective.name = "told_to_all";
  collective.inputs = like.inputs;
  collective.outputs = like.outputs;
  collective.scalar = like.scalar;
  collective.infer = like.infer;
  collective.traits.communicates = true;
  const std::vector<Tensor> inputs = {floats({3, 5})};
  Recorder recorder(Trace().run(inputs), inputs, compile, somewhere, "f");
  std::vector<Tensor> outputs, given = {recorder.argument(0)};
  const op::OriginScope backward({op::Phase::Backward, nullptr, nullptr});
  eager::dispatch(collective, given, {}, outputs);
  const Tensor after = call("neg", {outputs[0]});
  EXPECT_EQ(origins_in(recorder.draft()),
            (std::vector<std::string>{"told_to_all communication  1", "neg backward  1"}));
  recorder.discard();
}

TEST(RecorderTest, WritesToParametersHappenOnceARun) {
  Trace trace;
  const Tensor weight = floats({1, 1});
  weight.body().is_parameter = true;
  const auto function = [&](const std::vector<Tensor>& x) {
    const Tensor before = call("neg", {weight});
    call("assign_add", {weight, x[0]});
    return std::vector<Tensor>{before, call("neg", {weight})};
  };
  const std::vector<Tensor> first = record(trace, {floats({1, 2})}, function);
  EXPECT_EQ(values_of(first[0]), (std::vector<float>{-1, -1}));
  EXPECT_EQ(values_of(first[1]), (std::vector<float>{-2, -3}));
  EXPECT_EQ(values_of(weight), (std::vector<float>{2, 3}));
  replay(trace, {floats({1, 1})});
  EXPECT_EQ(values_of(weight), (std::vector<float>{3, 4}));
}

TEST(RecorderTest, AfterAbandoningEverythingIsOrdinary) {
  const std::vector<Tensor> inputs = {floats({1, 4})};
  Recorder recorder(Trace().run(inputs), inputs, compile, somewhere, "f");
  const Tensor y = call("neg", {recorder.argument(0)});
  recorder.abandon("for a test");
  EXPECT_FALSE(recorder.is_active());
  EXPECT_NE(recorder.refusal().find("test.py:1"), std::string::npos);
  EXPECT_EQ(values_of(call("neg", {y})), (std::vector<float>{1, 4}));
}

TEST(RecorderTest, WhatAnErrorLeftUncomputedSaysSo) {
  const std::vector<Tensor> inputs = {floats({1, 4})};
  Tensor kept;
  {
    Recorder recorder(Trace().run(inputs), inputs, compile, somewhere, "f");
    kept = call("neg", {recorder.argument(0)});
  }
  try {
    kept.data<float>();
    FAIL() << "there is nothing to read";
  } catch (const platform::Error& error) {
    EXPECT_NE(error.message().find("has no values"), std::string::npos) << error.message();
  }
}

TEST(RecorderTest, ANewWayNeedNotBeRecorded) {
  Trace trace;
  const auto function = [](const std::vector<Tensor>& x) {
    const Tensor y = call("neg", {x[0]});
    return std::vector<Tensor>{*y.data<float>() > 0 ? y : call("add", {y, x[0]})};
  };
  record(trace, {floats({1})}, function);
  const std::size_t before = trace.ways->step_count();
  const std::vector<Tensor> inputs = {floats({-2})};
  Recorder recorder(trace.run(inputs), inputs, compile, somewhere, "f");
  recorder.follow_only();
  EXPECT_FALSE(recorder.has_seen_new());
  const std::vector<Tensor> results = function({recorder.argument(0)});
  EXPECT_TRUE(recorder.has_left() && recorder.has_seen_new());
  EXPECT_FALSE(recorder.is_active());
  EXPECT_EQ(recorder.first_new(), somewhere());
  EXPECT_EQ(values_of(results[0]), (std::vector<float>{2}));
  EXPECT_EQ(trace.ways->step_count(), before);
  EXPECT_EQ(values_of(replay(trace, {floats({1})})[0]), (std::vector<float>{0}));
}

TEST(RecorderTest, AStorageStandsForAnArgument) {
  Trace trace;
  const auto function = [&](const std::vector<Tensor>& given) {
    Recorder* recorder = current_recorder();
    const Ref<Storage> storage = Storage::promise({}, 2 * sizeof(float), *recorder);
    const Tensor stand_in = Tensor::from_storage(storage, {2}, DType::Float32);
    EXPECT_TRUE(recorder->adopt(stand_in, given[0]));
    EXPECT_FALSE(recorder->adopt(stand_in, floats({1, 2})));
    EXPECT_FALSE(recorder->reference(stand_in.storage()).defined());
    EXPECT_EQ(recorder->live().size(), 2U);  // the argument and what stands for it
    return std::vector<Tensor>{call("add", {stand_in, given[0]})};
  };
  EXPECT_EQ(values_of(record(trace, {floats({1, 2})}, function)[0]), (std::vector<float>{2, 4}));
  EXPECT_EQ(current_recorder(), nullptr);
  EXPECT_EQ(values_of(replay(trace, {floats({3, 5})})[0]), (std::vector<float>{6, 10}));
}

// ---- memory that tensors share -----------------------------------------------------------------

Tensor row(const Tensor& matrix, std::int64_t i) {
  const std::int64_t width = matrix.shape()[1];
  return eager::emitter()
      .call("index_view", {Value(&eager::emitter(), matrix)},
            {{"begin", tensor::IntList{i, 0}},
             {"length", tensor::IntList{1, width}},
             {"step", tensor::IntList{1, 1}},
             {"axes", tensor::IntList{1}}})
      .tensor();
}

Tensor matrix(std::initializer_list<float> values, std::int64_t width) {
  const Tensor flat = floats(values);
  return Tensor::view(flat, {flat.size() / width, width}, {width, 1}, 0);
}

TEST(RecorderMemoryTest, AWriteThroughAViewIsSeenByAll) {
  Trace trace;
  const auto function = [](const std::vector<Tensor>& x) {
    const Tensor y = call("mul", {x[0], x[0]});
    const Tensor first = row(y, 0), same = row(y, 0), second = row(y, 1);
    call("assign_add", {first, second});
    return std::vector<Tensor>{call("neg", {same}), y};
  };
  const auto check = [](const std::vector<Tensor>& results) {
    EXPECT_EQ(values_of(results[0]), (std::vector<float>{-10, -20}));
    EXPECT_EQ(values_of(results[1]), (std::vector<float>{10, 20, 9, 16}));
  };
  check(record(trace, {matrix({1, 2, 3, 4}, 2)}, function));
  check(replay(trace, {matrix({1, 2, 3, 4}, 2)}));
}

TEST(RecorderMemoryTest, WritesIntoArgumentsReachTheCaller) {
  Trace trace;
  const auto function = [](const std::vector<Tensor>& x) {
    const Tensor before = call("neg", {x[0]});
    call("assign", {row(x[0], 1), x[1]});
    return std::vector<Tensor>{before, x[0]};
  };
  for (int i = 0; i < 2; ++i) {
    const Tensor x = matrix({1, 2, 3, 4}, 2);
    const std::vector<Tensor> inputs = {x, floats({7, 8})};
    const std::vector<Tensor> results =
        i == 0 ? record(trace, inputs, function) : replay(trace, inputs);
    EXPECT_EQ(values_of(results[0]), (std::vector<float>{-1, -2, -3, -4}));
    EXPECT_EQ(values_of(x), (std::vector<float>{1, 2, 7, 8}));
    EXPECT_EQ(results[1].raw(), x.raw());
  }
}

TEST(RecorderMemoryTest, ViewsOfResultsStayViews) {
  Trace trace;
  const auto function = [](const std::vector<Tensor>& x) {
    const Tensor y = call("neg", {x[0]});
    return std::vector<Tensor>{y, row(y, 1), row(x[0], 0)};
  };
  record(trace, {matrix({1, 2, 3, 4}, 2)}, function);
  const Tensor x = matrix({1, 2, 3, 4}, 2);
  const std::vector<Tensor> results = replay(trace, {x});
  EXPECT_EQ(static_cast<char*>(results[1].raw()), static_cast<char*>(results[0].raw()) + 8);
  EXPECT_EQ(results[2].raw(), x.raw());
}

TEST(RecorderMemoryTest, AnArgumentKeepsItsStrides) {
  Trace trace;
  const auto function = [](const std::vector<Tensor>& x) {
    call("assign_add", {x[0], x[1]});
    return std::vector<Tensor>{call("neg", {x[0]})};
  };
  for (int i = 0; i < 2; ++i) {
    const Tensor base = matrix({1, 2, 3, 4}, 2);
    const std::vector<Tensor> inputs = {Tensor::view(base, {2, 2}, {1, 2}, 0),
                                        matrix({10, 20, 30, 40}, 2)};
    const std::vector<Tensor> results =
        i == 0 ? record(trace, inputs, function) : replay(trace, inputs);
    EXPECT_EQ(values_of(base), (std::vector<float>{11, 32, 23, 44}));
    EXPECT_EQ(values_of(results[0]), (std::vector<float>{-11, -23, -32, -44}));
  }
}

TEST(RecorderMemoryTest, MemoryUnderTwoNamesIsLeftToEagerExecution) {
  const Tensor x = matrix({1, 2, 3, 4}, 2);
  const std::vector<Tensor> inputs = {x, row(x, 1)};
  Recorder recorder(Trace().run(inputs), inputs, compile, somewhere, "f");
  call("assign_add", {recorder.argument(0), recorder.argument(0)});
  EXPECT_FALSE(recorder.is_active());
  EXPECT_EQ(values_of(recorder.argument(1)), (std::vector<float>{6, 8}));
  EXPECT_EQ(values_of(x), (std::vector<float>{2, 4, 6, 8}));
}

TEST(RecorderMemoryTest, WhatGradientsNeedOutlivesAWrite) {
  Trace trace;
  const auto function = [](const std::vector<Tensor>& x) {
    eager::GradientCall gradient;
    const Tensor watched = gradient.watch(x[0]);
    const Tensor y = call("exp", {watched});  // its gradient reads the result
    const Tensor z[] = {call("mul", {y, y})};
    {
      const eager::RecordingSwitch off(false);
      call("assign", {y, x[0]});
    }
    gradient.end_forward();
    const Tensor seeds[] = {Tensor()};
    return gradient.backward(z, seeds, false);
  };
  const std::vector<float> eager = values_of(function({floats({0, 1})})[0]);
  EXPECT_NEAR(eager[1], 2 * std::exp(2.0), 1e-4);
  EXPECT_EQ(values_of(record(trace, {floats({0, 1})}, function)[0]), eager);
  EXPECT_EQ(values_of(replay(trace, {floats({0, 1})})[0]), eager);
}

// A replay has gone on to write what the function looked at earlier.
TEST(RecorderMemoryTest, LooksAreAnsweredAsTheyWere) {
  Trace trace;
  const auto function = [](const std::vector<Tensor>& x) {
    const bool is_small = x[0].as_double() < 5;
    call("assign_add", {x[0], x[1]});
    const bool is_odd = x[1].as_double() > 1;
    return std::vector<Tensor>{call(is_small ? "neg" : "square", {x[0]}),
                               call(is_odd ? "neg" : "square", {x[1]})};
  };
  const auto one = [](float value) { return floats({value}); };
  record(trace, {one(4), one(1)}, function);
  const Tensor counted = one(4);
  const std::vector<Tensor> results = record(trace, {counted, one(2)}, function);
  EXPECT_EQ(values_of(results[0]), (std::vector<float>{-6}));
  EXPECT_EQ(values_of(results[1]), (std::vector<float>{-2}));
  EXPECT_EQ(values_of(counted), (std::vector<float>{6}));
}

}  // namespace
}  // namespace mycel::capture
