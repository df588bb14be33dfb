// SPDX-License-Identifier: Apache-2.0
#include "capture/trace_cache.h"

#include <gtest/gtest.h>

#include "capture/fake_interpreter.h"
#include "capture/recipe_session.h"
#include "capture/sink_loop.h"

namespace mycel::capture {
namespace {

using namespace testing;
using Floats = std::vector<float>;
using Kind = Outcome::Kind;

std::vector<Tensor> doubled(CaptureSession&, const std::vector<Tensor>& x) {
  return {call("add", {x[0], x[0]})};
}

// Another way for negative numbers.
std::vector<Tensor> decided(CaptureSession&, const std::vector<Tensor>& x) {
  const Tensor is_positive = call("greater", {x[0], floats({0})});
  const bool way = *is_positive.data<bool>();  // looks into a promise
  return {call(way ? "square" : "neg", {x[0]})};
}

TEST(TraceCacheTest, ACallIsCapturedOnce) {
  FakeInterpreter interpreter;
  FakeFunction f(interpreter, doubled);
  EXPECT_EQ(f.cache.run(call_with({floats({1})})).kind, Kind::Miss);
  EXPECT_EQ(values_of(f({floats({1, 2})})[0]), (Floats{2, 4}));
  EXPECT_EQ(values_of(f({floats({3, 4})})[0]), (Floats{6, 8}));
  EXPECT_EQ(f.captures, 1);
  EXPECT_EQ(f.cache.runs(), 1U);
  f({floats({1, 2, 3})});  // of another size
  EXPECT_EQ(f.captures, 2);
  EXPECT_EQ(f.cache.texts().size(), 2U);
  f.cache.clear();
  EXPECT_EQ(f.cache.run(call_with({floats({1, 2})})).kind, Kind::Miss);
  EXPECT_EQ(f.cache.runs(), 1U);
}

TEST(TraceCacheTest, NumbersAgreeByValue) {
  FakeInterpreter interpreter;
  FakeFunction f(interpreter, doubled);
  const FakeObject three{3}, again{3}, four{4};
  f({floats({1})}, {&three});
  f({floats({2})}, {&three});  // the same object: nobody is asked
  EXPECT_EQ(interpreter.comparisons, 0);
  f({floats({2})}, {&again});
  EXPECT_EQ(f.captures, 1);
  f({floats({2})}, {&four});
  EXPECT_EQ(f.captures, 2);
  const auto known = f.cache.specializations();
  EXPECT_EQ(known.front()->signature->describe(interpreter).arguments, "(Tensor[Float32](1,), 4)");
  EXPECT_EQ(known.front()->signature->describe(interpreter).keywords, "{}");
}

TEST(TraceCacheTest, ATensorThatIsGivenTwiceMustBeGivenTwiceAgain) {
  FakeInterpreter interpreter;
  FakeFunction f(interpreter, [](CaptureSession&, const std::vector<Tensor>& x) {
    return std::vector<Tensor>{call("neg", {x[0]})};
  });
  const Tensor one = floats({1}), two = floats({2});
  f({one, one});
  EXPECT_EQ(f.cache.run(call_with({two, two})).kind, Kind::Done);
  EXPECT_EQ(f.cache.run(call_with({one, two})).kind, Kind::Miss);
}

TEST(TraceCacheTest, WhatCannotBeRecognizedIsNotCaptured) {
  FakeInterpreter interpreter;
  FakeFunction f(interpreter, doubled);
  const FakeObject list, array;
  Call repeated;
  repeated.add_container(Argument::Kind::List, &list, &kListClass, 0);
  repeated.add_container(Argument::Kind::List, &list, &kListClass, 0);
  EXPECT_EQ(f.cache.run(repeated).kind, Kind::Eager);
  Call memory;
  memory.add_value(Argument::Kind::Memory, &array);
  EXPECT_EQ(f.cache.run(memory).kind, Kind::Miss);
  EXPECT_EQ(f.cache.begin(memory, nullptr), nullptr);
}

TEST(TraceCacheTest, AGuardThatFailsHidesATrace) {
  FakeInterpreter interpreter;
  int outside = 1;
  FakeFunction f(interpreter, [&](CaptureSession& session, const std::vector<Tensor>& x) {
    session.add_guard(guard(1, [&outside, seen = outside] { return outside == seen; }));
    return std::vector<Tensor>{call(outside == 1 ? "neg" : "square", {x[0]})};
  });
  EXPECT_EQ(values_of(f({floats({3})})[0]), (Floats{-3}));
  outside = 2;
  EXPECT_EQ(values_of(f({floats({3})})[0]), (Floats{9}));
  outside = 1;
  EXPECT_EQ(values_of(f({floats({4})})[0]), (Floats{-4}));
  EXPECT_EQ(f.captures, 2);
}

TEST(TraceCacheTest, WhatIsCountedIsVerifiedAfterAChange) {
  FakeInterpreter interpreter;
  int asked = 0;
  bool holds = true;
  FakeFunction f(interpreter, [&](CaptureSession& session, const std::vector<Tensor>& x) {
    session.set_verify(guard(1, [&] { return ++asked > 0 && holds; }));
    return doubled(session, x);
  });
  f({floats({1})});
  f({floats({2})});
  EXPECT_EQ(asked, 0);
  note_change();
  f({floats({3})});
  f({floats({4})});
  EXPECT_EQ(asked, 1);
  holds = false;
  note_change();
  EXPECT_EQ(f.cache.run(call_with({floats({1})})).kind, Kind::Miss);
}

TEST(TraceCacheTest, ARefusedKindOfCallRunsEagerly) {
  FakeInterpreter interpreter;
  FakeFunction f(interpreter, doubled);
  const std::vector<Tensor> x = {floats({1, 2})};
  const Call arguments = call_with(x);
  const auto session = f.cache.begin(arguments, nullptr);
  const std::vector<Tensor> y = {call("neg", {session->recorder().argument(0)})};
  EXPECT_FALSE(session->finish([&] {
    return CaptureSession::Returned{y, nullptr, "it returns an iterator"};
  }));
  EXPECT_EQ(values_of(y[0]), (Floats{-1, -2}));
  EXPECT_EQ(f.cache.run(arguments).kind, Kind::Eager);
  EXPECT_EQ(f.cache.specializations().front()->refusal, "it returns an iterator");

  f({floats({1, 2, 3})});
  const auto later = f.cache.begin(call_with({floats({1, 2, 3, 4})}), nullptr);
  later->recorder().discard();
  EXPECT_EQ(f.cache.specializations().size(), 2U);  // nothing came of that run
}

TEST(TraceCacheTest, ANewWayGoesOnFromWhereTheReplayStopped) {
  FakeInterpreter interpreter;
  FakeFunction f(interpreter, decided);
  EXPECT_EQ(values_of(f({floats({3})})[0]), (Floats{9}));
  EXPECT_EQ(f.cache.run(call_with({floats({-3})})).kind, Kind::Paused);
  EXPECT_EQ(values_of(f({floats({-3})})[0]), (Floats{3}));
  EXPECT_EQ(values_of(f({floats({-5})})[0]), (Floats{5}));
  EXPECT_EQ(values_of(f({floats({4})})[0]), (Floats{16}));
  EXPECT_EQ(f.captures, 2);
  EXPECT_EQ(f.cache.specializations().size(), 1U);
}

// A guard may run for long, and another thread may add a way meanwhile. What that relies on has not
// been checked for this call.
TEST(TraceCacheTest, ACallDoesNotFollowAWayWhoseConditionsItHasNotChecked) {
  FakeInterpreter interpreter;
  std::function<void()> meanwhile;
  bool second_holds = true;
  FakeFunction f(interpreter, [&](CaptureSession& session, const std::vector<Tensor>& x) {
    session.add_guard(guard(1, [&] {
      if (const auto now = std::exchange(meanwhile, nullptr)) now();
      return true;
    }));
    std::vector<Tensor> y = decided(session, x);
    if (*x[0].data<float>() < 0) session.add_guard(guard(2, [&] { return second_holds; }));
    return y;
  });
  f({floats({3})});
  meanwhile = [&] {
    f({floats({-3})});
    second_holds = false;
  };
  EXPECT_EQ(f.cache.run(call_with({floats({-3})})).kind, Kind::Paused);
  EXPECT_EQ(f.cache.run(call_with({floats({-3})})).kind, Kind::Miss);
  second_holds = true;
  EXPECT_EQ(f.cache.run(call_with({floats({-3})})).kind, Kind::Done);
}

TEST(TraceCacheTest, WhatIsLearntServesOtherSizes) {
  FakeInterpreter interpreter;
  FakeFunction f(interpreter, doubled);
  const auto learn = [&](const Call& arguments) {
    const auto session = f.cache.begin_recipe(arguments, false);
    if (session)
      session->finish(
          std::vector<Tensor>{call("add", {session->argument(0), session->argument(0)})}, {},
          nullptr);
    return session != nullptr;
  };
  f({floats({1})});
  f({floats({1, 2})});
  EXPECT_FALSE(learn(call_with({floats({1, 2})})));  // too early
  const std::vector<Tensor> x = {floats({1, 2, 3})};
  f(x);
  EXPECT_TRUE(learn(call_with(x)));
  EXPECT_EQ(values_of(f({floats({1, 2, 3, 4})})[0]), (Floats{2, 4, 6, 8}));
  EXPECT_EQ(f.captures, 3);
  const Recipe::Notes notes = f.cache.recipes().front()->notes();
  EXPECT_EQ(notes.made, 1U);
  EXPECT_EQ(notes.signature.describe(interpreter).arguments, "(Tensor[Float32](?,))");
  EXPECT_TRUE(f.cache.specializations().front()->base != nullptr);
}

TEST(TraceCacheTest, ARecipeMustGiveWhatWasCaptured) {
  FakeInterpreter interpreter;
  FakeFunction f(interpreter, doubled);
  const std::vector<Tensor> x = {floats({1, 2})};
  f(x);
  const auto session = f.cache.begin_recipe(call_with(x), true);
  EXPECT_THROW(
      session->finish(std::vector<Tensor>{call("neg", {session->argument(0)})}, {}, nullptr),
      platform::Error);
  session->refuse("it gives something else");
  EXPECT_EQ(f.cache.recipes().front()->refusal(), "it gives something else");
  EXPECT_FALSE(f.cache.recipes().front()->is_useful());
  EXPECT_EQ(f.cache.begin_recipe(call_with(x), true), nullptr);  // once is enough
}

// ---- the sink loop -----------------------------------------------------------------------------

class Rows final : public tensor::TensorStream {
 public:
  explicit Rows(std::vector<std::vector<Tensor>> rows) : rows_(std::move(rows)) {}
  bool next(std::vector<Tensor>& row) override {
    if (at_ == rows_.size()) return false;
    row = rows_[at_++];
    return true;
  }
  bool wait(std::chrono::milliseconds) override { return ++waits_ % 2 == 0; }
  bool ended() const override { return at_ == rows_.size(); }

 private:
  std::vector<std::vector<Tensor>> rows_;
  std::size_t at_ = 0;
  int waits_ = 0;
};

TEST(SinkLoopTest, RunsUntilSomethingIsNew) {
  FakeInterpreter interpreter;
  FakeFunction f(interpreter, decided);
  f({floats({1})});
  Rows rows({{floats({2})}, {floats({3})}, {floats({-4})}, {floats({1, 1})}, {floats({5})}});
  SinkResult result = run_stream(f.cache, rows, 10);
  EXPECT_EQ(result.steps, 2U);
  EXPECT_EQ(values_of(results_of(*result.last.last, result.last.values)[0]), (Floats{9}));
  ASSERT_TRUE(result.left && result.paused);  // another way
  EXPECT_EQ(values_of(result.left->front()), (Floats{-4}));
  EXPECT_GT(interpreter.pauses, 0);
  EXPECT_GE(interpreter.attended, 2);

  result = run_stream(f.cache, rows, 10);
  EXPECT_EQ(result.steps, 0U);
  ASSERT_TRUE(result.left && !result.paused);  // another shape
  result = run_stream(f.cache, rows, 10);
  EXPECT_EQ(result.steps, 1U);
  EXPECT_FALSE(result.left);  // the end of an epoch
}

}  // namespace
}  // namespace mycel::capture
