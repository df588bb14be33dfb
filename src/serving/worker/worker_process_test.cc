// SPDX-License-Identifier: Apache-2.0
#include "serving/worker/worker_process.h"

#include <cerrno>
#include <chrono>
#include <csignal>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "serving/worker/fake_worker.h"

namespace mycel::serving {
namespace {

using testing::HasSubstr;
using std::chrono_literals::operator""ms;
using std::chrono_literals::operator""s;

class WorkerProcessTest : public testing::Test {
 protected:
  std::shared_ptr<WorkerProcess> start(const std::vector<std::string>& words,
                                       const std::string& name = "add") {
    WorkerProcess::Events events;
    events.ready = [this](const std::string& description) {
      ready_ = description;
      if (when_ready_) when_ready_();
    };
    events.frame = [this](IncomingFrame frame) { frames_.push_back(std::move(frame)); };
    events.ended = [this](const WorkerProcess::Events::End& end) {
      ended_ = end;
      context_.stop();
    };
    return WorkerProcess::start(context_, words, "", "{\"servable\":" + fake_servable(name) + "}",
                                "", events);
  }

  // Until it has ended, or it takes too long.
  void run() { context_.run_for(20s); }

  boost::asio::io_context context_;
  std::string ready_;
  std::vector<IncomingFrame> frames_;
  std::optional<WorkerProcess::Events::End> ended_;
  std::function<void()> when_ready_;
};

TEST_F(WorkerProcessTest, ProgramThatIsNotThereIsTold) {
  EXPECT_THROW(start({"/nowhere/serving_worker"}), platform::Error);
}

TEST_F(WorkerProcessTest, ProgramThatIsNoWorkerEnds) {
  start({"/bin/sh", "-c", "exit 5"});
  run();
  ASSERT_TRUE(ended_.has_value());
  EXPECT_EQ(ended_->how, "exit status 5");
  EXPECT_FALSE(ended_->in_order);
  EXPECT_FALSE(ended_->was_told);
}

TEST_F(WorkerProcessTest, NoiseIsTheEndOfIt) {
  start({"/bin/sh", "-c",
         "echo this is no frame of ours, and much too long for one >&3; exec sleep 1000"});
  run();
  ASSERT_TRUE(ended_.has_value());
  EXPECT_EQ(ended_->how, "it sent what is no message of a worker");
}

TEST_F(WorkerProcessTest, ProcessThatClosesItsSocketAndStaysIsKilled) {
  start({"/bin/sh", "-c", "exec 3>&-; exec sleep 1000"});
  run();
  ASSERT_TRUE(ended_.has_value());
  EXPECT_THAT(ended_->how, HasSubstr("signal 9"));
}

TEST_F(WorkerProcessTest, ReasonOfAFailedStartIsTold) {
  start(fake_worker(), "refuses");
  run();
  ASSERT_TRUE(ended_.has_value());
  EXPECT_EQ(ended_->how, "Load model failed, because it wants so");
  EXPECT_TRUE(ended_->was_told);
}

TEST_F(WorkerProcessTest, KilledWorkerIsTold) {
  const auto worker = start(fake_worker());
  when_ready_ = [&] { kill(worker->id(), SIGKILL); };
  run();
  ASSERT_TRUE(ended_.has_value());
  EXPECT_THAT(ended_->how, HasSubstr("signal 9"));
  EXPECT_FALSE(ended_->was_asked);
}

TEST_F(WorkerProcessTest, DoesNotOutliveItsPatience) {
  const auto worker = start({"/bin/sh", "-c", "trap '' TERM; exec sleep 1000"});
  worker->stop(10ms);
  run();
  ASSERT_TRUE(ended_.has_value());
  EXPECT_TRUE(ended_->was_asked);
  EXPECT_EQ(ended_->how, "it did not end in time");
}

TEST_F(WorkerProcessTest, EndsInGoodOrderWhenAsked) {
  const auto worker = start(fake_worker());
  when_ready_ = [&] { worker->stop(10s); };
  run();
  ASSERT_TRUE(ended_.has_value());
  EXPECT_TRUE(ended_->was_asked);
  EXPECT_TRUE(ended_->in_order);
  EXPECT_THAT(ready_, HasSubstr("batch_size"));
}

TEST_F(WorkerProcessTest, KilledInTheMiddleOfAnEvent) {
  const auto worker = start(fake_worker());
  when_ready_ = [&] { worker->kill("it was not liked"); };
  run();
  ASSERT_TRUE(ended_.has_value());
  EXPECT_EQ(ended_->how, "it was not liked");
}

TEST_F(WorkerProcessTest, NothingIsLeftWhenTheServerGoes) {
  pid_t id = 0;
  {
    boost::asio::io_context context;
    const auto worker =
        WorkerProcess::start(context, {"/bin/sh", "-c", "exec sleep 1000"}, "", "{}", "", {});
    id = worker->id();
  }
  EXPECT_EQ(kill(id, 0), -1);
  EXPECT_EQ(errno, ESRCH);
}

TEST_F(WorkerProcessTest, LargeFramesGoBothWays) {
  const auto worker = start(fake_worker());
  RunOrder order;
  const std::vector<float> numbers = {1, 2};
  const Value value = make_value(ElementType::Float32, {2}, std::as_bytes(std::span(numbers)));
  for (int i = 0; i < 20'000; ++i) order.instances.push_back({value, value});
  when_ready_ = [&] {
    worker->send(write_run(FrameKind::Run, 7, order));
    worker->stop(10s);
  };
  run();
  ASSERT_EQ(frames_.size(), 1U);
  EXPECT_EQ(frames_[0].head.id, 7U);
  const auto outcomes =
      read_result(frames_[0].description, frames_[0].data, frames_[0].head.data_bytes).value();
  EXPECT_EQ(outcomes.size(), order.instances.size());
}

}  // namespace
}  // namespace mycel::serving
