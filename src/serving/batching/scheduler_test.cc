// SPDX-License-Identifier: Apache-2.0
#include "serving/batching/scheduler.h"

#include <cstring>
#include <string>
#include <utility>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace mycel::serving {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using std::chrono_literals::operator""h;
using std::chrono_literals::operator""ms;

Value number(float value) {
  return make_value(ElementType::Float32, {}, std::as_bytes(std::span(&value, 1)));
}

float number_in(const Value& value) {
  float number = 0;
  std::memcpy(&number, value.bytes.data(), sizeof number);
  return number;
}

// A worker that keeps what it is sent.
class KeepingPort : public WorkerPort {
 public:
  struct Order {
    std::uint64_t run;
    RunOrder order;
  };

  void send(OutgoingFrame frame) override {
    FrameHead head;
    std::memcpy(&head, frame.beginning.data(), sizeof head);
    const std::shared_ptr<std::byte[]> data = take_data(head.data_bytes);
    std::size_t at = 0;
    for (const std::span<const std::byte> part : frame.data) {
      std::ranges::copy(part, data.get() + at);
      at += part.size();
    }
    const std::string_view description =
        std::string_view(frame.beginning).substr(sizeof head, head.description_bytes);
    if (head.kind == FrameKind::Result) {
      results.push_back(read_result(description, data, head.data_bytes).value());
    } else {
      orders.push_back({head.id, read_run(description, data, head.data_bytes).value()});
    }
  }

  std::vector<float> firsts() const {
    std::vector<float> numbers;
    for (const Instance& instance : orders.back().order.instances)
      numbers.push_back(number_in(instance[0]));
    return numbers;
  }

  std::vector<Order> orders;
  std::vector<std::vector<Outcome>> results;
};

// A servable of one model, whose method "sum" gives it both inputs, and of one function before the
// model in "prepared".
class SchedulerTest : public testing::Test {
 protected:
  SchedulerTest() {
    servable_.name = "add";
    servable_.models.push_back({.files = {"add.mindir"}});
    servable_.functions = {"prepare"};
    ModelSignature signature;
    signature.inputs = {{"a", ElementType::Float32, {2}}, {"b", ElementType::Float32, {2}}};
    signature.outputs = {{"y", ElementType::Float32, {2}}};
    signature.batch_size = 2;
    signatures_ = {{signature}};
    Stage model;
    model.inputs = {{0, 0}, {0, 1}};
    servable_.methods.push_back({"sum", {"a", "b"}, {"y"}, {model}, {{1, 0}}});
    Stage function;
    function.kind = StageKind::Function;
    function.inputs = {{0, 0}};
    Stage after;
    after.inputs = {{1, 0}, {0, 1}};
    servable_.methods.push_back({"prepared", {"a", "b"}, {"y"}, {function, after}, {{2, 0}}});
  }

  Scheduler& scheduler() {
    if (!scheduler_) scheduler_ = std::make_unique<Scheduler>(servable_, signatures_, options_);
    return *scheduler_;
  }

  // Instances of the numbers, each given as both inputs.
  std::shared_ptr<std::vector<Outcome>> submit(
      const std::vector<float>& numbers, std::string_view method = "sum",
      Clock::time_point deadline = Clock::time_point::max()) {
    auto outcomes = std::make_shared<std::vector<Outcome>>();
    Request request;
    request.method = servable_.find(method);
    for (const float value : numbers) request.instances.push_back({number(value), number(value)});
    request.deadline = deadline;
    request.done = [this, outcomes](std::vector<Outcome> own) {
      ++answered_;
      *outcomes = std::move(own);
    };
    scheduler().submit(std::move(request));
    return outcomes;
  }

  // What a model of sums answers.
  static std::vector<Outcome> sums(const RunOrder& order) {
    std::vector<Outcome> outcomes;
    for (const Instance& instance : order.instances)
      outcomes.emplace_back(Instance{number(number_in(instance[0]) + number_in(instance[1]))});
    return outcomes;
  }

  bool answer(Scheduler::WorkerId worker, KeepingPort& port) {
    const KeepingPort::Order order = port.orders.back();
    port.orders.pop_back();
    return scheduler().finish_run(worker, order.run, sums(order.order));
  }

  static std::string text_of(const Outcome& outcome) { return std::get<Failure>(outcome).text; }
  static float result_of(const Outcome& outcome) {
    return number_in(std::get<Instance>(outcome)[0]);
  }

  Servable servable_;
  Signatures signatures_;
  BatchingOptions options_;
  int answered_ = 0;
  std::unique_ptr<Scheduler> scheduler_;
};

TEST_F(SchedulerTest, WrongTypesAndSizesFailAlone) {
  KeepingPort port;
  scheduler().add_worker(StageKind::Model, port);
  const std::int64_t wide = 1;
  Request request;
  request.method = servable_.find("sum");
  request.instances.push_back({number(1), number(2)});
  request.instances.push_back(
      {make_value(ElementType::Int64, {}, std::as_bytes(std::span(&wide, 1))), number(2)});
  const float two[] = {1, 2};
  request.instances.push_back(
      {number(1), make_value(ElementType::Float32, {2}, std::as_bytes(std::span(two)))});
  std::vector<Outcome> outcomes;
  request.done = [&](std::vector<Outcome> own) { outcomes = std::move(own); };
  scheduler().submit(std::move(request));
  ASSERT_EQ(port.orders.size(), 1U);
  EXPECT_EQ(port.firsts(), std::vector<float>{1});
  EXPECT_TRUE(outcomes.empty());
  EXPECT_TRUE(answer(1, port));
  ASSERT_EQ(outcomes.size(), 3U);
  EXPECT_EQ(result_of(outcomes[0]), 3);
  EXPECT_EQ(text_of(outcomes[1]),
            "Given model input 0 data type kMSI_Int64 not match the data type kMSI_Float32 defined "
            "in model");
  EXPECT_EQ(text_of(outcomes[2]),
            "Given model input 1 size 8 not match the size 4 defined in model");
}

TEST_F(SchedulerTest, AnswersForOtherRunsAreRefused) {
  KeepingPort port;
  const auto worker = scheduler().add_worker(StageKind::Model, port);
  const auto outcomes = submit({1});
  const std::uint64_t run = port.orders.back().run;
  EXPECT_FALSE(scheduler().finish_run(worker, run + 1, {Outcome(Instance{number(2)})}));
  EXPECT_FALSE(scheduler().finish_run(worker + 1, run, {Outcome(Instance{number(2)})}));
  EXPECT_FALSE(scheduler().finish_run(worker, run, {}));
  EXPECT_EQ(answered_, 0);
  EXPECT_TRUE(answer(worker, port));
  EXPECT_FALSE(scheduler().finish_run(worker, run, {Outcome(Instance{number(2)})}));
}

TEST_F(SchedulerTest, WrongCountOfResultsFailsTheInstance) {
  KeepingPort port;
  const auto worker = scheduler().add_worker(StageKind::Model, port);
  const auto outcomes = submit({1});
  scheduler().finish_run(worker, port.orders.back().run, {Outcome(Instance{number(2), number(3)})});
  EXPECT_EQ(text_of(outcomes->at(0)), "Result data tensor size 2 not equal outputs size 1");
}

TEST_F(SchedulerTest, InstancesOfAWorkerThatEndsFailAndOthersWait) {
  KeepingPort port, next;
  const auto worker = scheduler().add_worker(StageKind::Model, port);
  const auto first = submit({1, 2});   // runs
  const auto second = submit({3, 4});  // waits there for its turn
  const auto third = submit({5});
  scheduler().remove_worker(worker, {FailureCode::WorkerUnavailable, "killed"});
  EXPECT_EQ(text_of(first->at(0)), "killed");
  EXPECT_EQ(text_of(first->at(1)), "killed");
  const auto other = scheduler().add_worker(StageKind::Model, next);
  while (!next.orders.empty()) EXPECT_TRUE(answer(other, next));
  EXPECT_EQ(result_of(third->at(0)), 10);
  EXPECT_EQ(answered_, 3);
  EXPECT_TRUE(scheduler().is_idle());
}

TEST_F(SchedulerTest, WhatWaitsForAKindThatWillNotComeFails) {
  const auto model = submit({1});
  const auto function = submit({1}, "prepared");
  scheduler().fail_waiting(StageKind::Function, {FailureCode::ServableUnavailable, "gone"});
  EXPECT_EQ(text_of(function->at(0)), "gone");
  EXPECT_TRUE(model->empty());
  EXPECT_EQ(scheduler().waiting(), 1U);
}

TEST_F(SchedulerTest, DestroyedItAnswersAll) {
  KeepingPort port;
  scheduler().add_worker(StageKind::Model, port);
  const auto running = submit({1});
  const auto waiting = submit({1}, "prepared");
  scheduler_.reset();
  EXPECT_THAT(text_of(running->at(0)), HasSubstr("servable is not available"));
  EXPECT_THAT(text_of(waiting->at(0)), HasSubstr("servable is not available"));
}

TEST_F(SchedulerTest, TwoRequestsMeetInOneBatch) {
  const auto first = submit({1});
  const auto second = submit({2});
  KeepingPort port;
  const auto worker = scheduler().add_worker(StageKind::Model, port);
  ASSERT_EQ(port.orders.size(), 1U);
  EXPECT_THAT(port.firsts(), ElementsAre(1, 2));
  EXPECT_TRUE(answer(worker, port));
  EXPECT_EQ(result_of(first->at(0)), 2);
  EXPECT_EQ(result_of(second->at(0)), 4);
}

// Batch size 2, three instances: two runs.
TEST_F(SchedulerTest, MoreThanABatchIsSeveralRuns) {
  KeepingPort port;
  const auto worker = scheduler().add_worker(StageKind::Model, port);
  const auto outcomes = submit({1, 2, 3});
  std::size_t rows = 0;
  int runs = 0;
  while (!port.orders.empty()) {
    for (const auto& order : port.orders) {
      EXPECT_EQ(order.order.batch_size, 2U);
      EXPECT_LE(order.order.instances.size(), 2U);
    }
    rows += port.orders.back().order.instances.size();
    ++runs;
    EXPECT_TRUE(answer(worker, port));
  }
  EXPECT_EQ(runs, 2);
  EXPECT_EQ(rows, 3U);
  EXPECT_EQ(result_of(outcomes->at(2)), 6);
}

TEST_F(SchedulerTest, RunsAreThoseOfTheMainStageThatGaveSomething) {
  KeepingPort function, model;
  const auto preparing = scheduler().add_worker(StageKind::Function, function);
  const auto running = scheduler().add_worker(StageKind::Model, model);
  submit({1});
  scheduler().finish_run(running, model.orders.back().run, {Failure{FailureCode::Failed, "no"}});
  model.orders.clear();
  EXPECT_EQ(scheduler().runs_of(servable_.methods[0]), 0U);
  submit({1, 2, 3});
  while (!model.orders.empty()) EXPECT_TRUE(answer(running, model));
  EXPECT_EQ(scheduler().runs_of(servable_.methods[0]), 2U);
  submit({1}, "prepared");
  scheduler().finish_run(preparing, function.orders[0].run, {Outcome(Instance{number(1)})});
  EXPECT_EQ(scheduler().runs_of(servable_.methods[1]), 0U);
  EXPECT_TRUE(answer(running, model));
  EXPECT_EQ(scheduler().runs_of(servable_.methods[1]), 1U);
  EXPECT_EQ(scheduler().runs_of(servable_.methods[0]), 2U);
}

// A server with much to do is slow to send and to receive; the worker is as fast as ever.
TEST_F(SchedulerTest, FramesFollowTheTimeOfTheWorkerAlone) {
  KeepingPort port;
  const auto worker = scheduler().add_worker(StageKind::Model, port);
  submit({1, 2});
  const auto first = port.orders.back();
  const Clock::time_point late = Clock::now() + std::chrono::milliseconds(2);
  while (Clock::now() < late) {
  }
  EXPECT_TRUE(
      scheduler().finish_run(worker, first.run, sums(first.order), std::chrono::microseconds(1)));
  submit({1, 2, 3, 4, 5, 6, 7, 8});
  EXPECT_EQ(port.orders.back().order.instances.size(), 8U);
}

TEST_F(SchedulerTest, LeastBusyWorkerIsTaken) {
  KeepingPort one, other;
  scheduler().add_worker(StageKind::Model, one);
  scheduler().add_worker(StageKind::Model, other);
  submit({1});
  submit({2});
  EXPECT_EQ(one.orders.size(), 1U);
  EXPECT_EQ(other.orders.size(), 1U);
}

TEST_F(SchedulerTest, StagesPassTheirResultsOn) {
  KeepingPort function, model;
  const auto preparing = scheduler().add_worker(StageKind::Function, function);
  const auto running = scheduler().add_worker(StageKind::Model, model);
  const auto outcomes = submit({1}, "prepared");
  ASSERT_EQ(function.orders.size(), 1U);
  EXPECT_EQ(function.orders[0].order.kind, StageKind::Function);
  scheduler().finish_run(preparing, function.orders[0].run, {Outcome(Instance{number(10)})});
  ASSERT_EQ(model.orders.size(), 1U);
  EXPECT_TRUE(answer(running, model));
  EXPECT_EQ(result_of(outcomes->at(0)), 11);
}

TEST_F(SchedulerTest, InputsAFunctionHasWrittenIntoArePassedOn) {
  servable_.methods[1].stages[0].inputs = {{0, 0}, {0, 1}};
  servable_.methods[1].stages[1].inputs = {{0, 0}, {0, 1}};
  KeepingPort function, model;
  const auto preparing = scheduler().add_worker(StageKind::Function, function);
  const auto running = scheduler().add_worker(StageKind::Model, model);
  const auto outcomes = submit({1}, "prepared");
  const Value unchanged = make_value(ElementType::UInt8, {0}, {});
  scheduler().finish_run(preparing, function.orders[0].run,
                         {Outcome(Instance{number(10), unchanged, number(20)})});
  EXPECT_TRUE(answer(running, model));
  EXPECT_EQ(result_of(outcomes->at(0)), 21);
}

TEST_F(SchedulerTest, OneBadResultOfAFunctionFailsAlone) {
  servable_.methods[1].stages[0].batch_size = 0;
  KeepingPort function, model;
  const auto outcomes = submit({1, 2}, "prepared");
  const auto preparing = scheduler().add_worker(StageKind::Function, function);
  const auto running = scheduler().add_worker(StageKind::Model, model);
  ASSERT_EQ(function.orders.back().order.instances.size(), 2U);
  scheduler().finish_run(preparing, function.orders[0].run,
                         {Outcome(Failure{FailureCode::Failed, "Call Preprocess Failed"}),
                          Outcome(Instance{number(5)})});
  EXPECT_TRUE(answer(running, model));
  EXPECT_EQ(text_of(outcomes->at(0)), "Call Preprocess Failed");
  EXPECT_EQ(result_of(outcomes->at(1)), 7);
}

TEST_F(SchedulerTest, DelayWaitsForCompany) {
  options_.delay = 50ms;
  KeepingPort port;
  scheduler().add_worker(StageKind::Model, port);
  submit({1});
  EXPECT_TRUE(port.orders.empty());
  EXPECT_TRUE(scheduler().needs_clock());
  submit({2});  // a full batch waits no longer
  ASSERT_EQ(port.orders.size(), 1U);
  EXPECT_THAT(port.firsts(), ElementsAre(1, 2));
}

TEST_F(SchedulerTest, DelayEnds) {
  options_.delay = 50ms;
  KeepingPort port;
  scheduler().add_worker(StageKind::Model, port);
  submit({1});
  const Clock::time_point now = Clock::now();
  const auto next = scheduler().tick(now);
  ASSERT_TRUE(next.has_value());
  EXPECT_LE(*next, now + 50ms);
  EXPECT_TRUE(port.orders.empty());
  EXPECT_EQ(scheduler().tick(*next), std::nullopt);
  EXPECT_EQ(port.orders.size(), 1U);
}

TEST_F(SchedulerTest, DeadlineEndsWhatWaitsAndNothingElse) {
  const Clock::time_point now = Clock::now();
  const auto late = submit({1}, "sum", now + 1ms);
  const auto patient = submit({2}, "sum", now + 1h);
  EXPECT_EQ(scheduler().tick(now), now + 1ms);
  EXPECT_EQ(scheduler().tick(now + 1ms), now + 1h);
  EXPECT_EQ(std::get<Failure>(late->at(0)).code, FailureCode::DeadlineExceeded);
  EXPECT_TRUE(patient->empty());
  EXPECT_EQ(scheduler().waiting(), 1U);
}

TEST_F(SchedulerTest, TooLateIsNotSentToAWorker) {
  const auto late = submit({1}, "sum", Clock::now() - 1ms);
  KeepingPort port;
  scheduler().add_worker(StageKind::Model, port);
  EXPECT_TRUE(port.orders.empty());
  EXPECT_EQ(std::get<Failure>(late->at(0)).code, FailureCode::DeadlineExceeded);
}

TEST_F(SchedulerTest, NeedsTheClockOnlyWhileADeadlineIsThere) {
  EXPECT_FALSE(scheduler().needs_clock());
  submit({1});
  EXPECT_FALSE(scheduler().needs_clock());
  submit({1}, "sum", Clock::now() + 1h);
  EXPECT_TRUE(scheduler().needs_clock());
  scheduler().fail_waiting(StageKind::Model, {FailureCode::Failed, "gone"});
  EXPECT_FALSE(scheduler().needs_clock());
}

TEST_F(SchedulerTest, CallOfAModelThatIsNotThereFails) {
  KeepingPort function;
  const auto worker = scheduler().add_worker(StageKind::Function, function);
  RunOrder order;
  order.target = 1;
  order.instances = {{number(1), number(2)}};
  scheduler().call_model(worker, 7, order);
  ASSERT_EQ(function.results.size(), 1U);
  EXPECT_EQ(text_of(function.results[0][0]), "there is no such model");
}

TEST_F(SchedulerTest, CallWithTooFewInputsFails) {
  KeepingPort function, model;
  const auto worker = scheduler().add_worker(StageKind::Function, function);
  scheduler().add_worker(StageKind::Model, model);
  RunOrder order;
  order.instances = {{number(1)}};
  scheduler().call_model(worker, 7, order);
  ASSERT_EQ(function.results.size(), 1U);
  EXPECT_EQ(text_of(function.results[0][0]),
            "The inputs count 1 of instance 0 is not equal to the inputs count 2 of the model");
  EXPECT_TRUE(model.orders.empty());
}

TEST_F(SchedulerTest, FunctionsGetWhatTheyCall) {
  KeepingPort function, model;
  const auto worker = scheduler().add_worker(StageKind::Function, function);
  const auto running = scheduler().add_worker(StageKind::Model, model);
  RunOrder order;
  order.instances = {{number(1), number(2)}, {number(3), number(4)}};
  scheduler().call_model(worker, 7, order);
  while (!model.orders.empty()) EXPECT_TRUE(answer(running, model));
  ASSERT_EQ(function.results.size(), 1U);
  EXPECT_EQ(result_of(function.results[0][0]), 3);
  EXPECT_EQ(result_of(function.results[0][1]), 7);
}

TEST_F(SchedulerTest, CallOfAFunctionThatIsGoneAnswersNobody) {
  KeepingPort function, model;
  const auto worker = scheduler().add_worker(StageKind::Function, function);
  const auto running = scheduler().add_worker(StageKind::Model, model);
  RunOrder order;
  order.instances = {{number(1), number(2)}};
  scheduler().call_model(worker, 7, order);
  scheduler().remove_worker(worker, {FailureCode::WorkerUnavailable, "killed"});
  EXPECT_TRUE(answer(running, model));
  EXPECT_TRUE(function.results.empty());
}

TEST_F(SchedulerTest, AnswersMaySubmitAgain) {
  KeepingPort port;
  const auto worker = scheduler().add_worker(StageKind::Model, port);
  std::shared_ptr<std::vector<Outcome>> again;
  Request request;
  request.method = servable_.find("sum");
  request.instances = {{number(1), number(1)}};
  request.done = [&](const std::vector<Outcome>&) { again = submit({4}); };
  scheduler().submit(std::move(request));
  EXPECT_TRUE(answer(worker, port));
  EXPECT_TRUE(answer(worker, port));
  EXPECT_EQ(result_of(again->at(0)), 8);
}

TEST_F(SchedulerTest, NoInstancesAreAnsweredAtOnce) {
  const auto outcomes = submit({});
  EXPECT_EQ(answered_, 1);
}

}  // namespace
}  // namespace mycel::serving
