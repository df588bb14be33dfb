// SPDX-License-Identifier: Apache-2.0
// Threads that call one function at once, with random delays wherever somebody is asked. Runs a
// moment; MYCEL_STRESS_SECONDS says for how long, and it is what the sanitizers should be run with.
#include <chrono>
#include <random>
#include <thread>

#include <gtest/gtest.h>

#include "capture/fake_interpreter.h"
#include "platform/options/options.h"

namespace mycel::capture {
namespace {

using namespace testing;
using Clock = std::chrono::steady_clock;

constexpr int kThreads = 8;

thread_local std::minstd_rand random_numbers;

void delay() {
  const auto kind = random_numbers() % 16;
  if (kind == 0) std::this_thread::sleep_for(std::chrono::microseconds(random_numbers() % 200));
  if (kind < 4) std::this_thread::yield();
}

class SlowInterpreter final : public FakeInterpreter {
 public:
  bool is_equal(const void* now, const void* before) override {
    delay();
    return FakeInterpreter::is_equal(now, before);
  }
  void* pause() override {
    delay();
    return FakeInterpreter::pause();
  }
};

// x² or -x, by the sign of the first element, times a number outside.
class Program {
 public:
  Program()
      : function_(interpreter_, [this](CaptureSession& session, const std::vector<Tensor>& x) {
          const int scale = scale_;
          session.add_guard(guard(1, [this, scale] {
            delay();
            return scale_ == scale;
          }));
          session.set_verify(guard(2, [] {
            delay();
            return true;
          }));
          const Tensor first = call("sum", {x[0]});
          const Tensor is_positive = call("greater", {first, floats({0})});
          delay();
          const bool way = *is_positive.data<bool>();
          delay();
          return std::vector<Tensor>{
              call("mul", {call(way ? "square" : "neg", {x[0]}), floats({1.0F * scale})})};
        }) {}

  void work(Clock::time_point end, unsigned seed) {
    random_numbers.seed(seed + 1);
    while (Clock::now() < end) {
      const auto size = static_cast<std::int64_t>(1 + random_numbers() % 4);
      const float value =
          static_cast<float>(1 + random_numbers() % 9) * (random_numbers() % 2 == 0 ? 1.0F : -1.0F);
      Tensor x = Tensor::empty({size}, DType::Float32);
      std::fill_n(x.data<float>(), size, value);
      const FakeObject* number = numbers_[random_numbers() % numbers_.size()];
      const int changes = changes_, scale = scale_;
      const std::vector<float> y = values_of(function_({x}, {number})[0]);
      if (changes == changes_) {  // else it may be that of before or after
        const float right = scale * (value > 0 ? value * value : -value);
        ASSERT_EQ(y, std::vector<float>(static_cast<std::size_t>(size), right));
      }
      disturb();
      ++calls;
    }
  }

  std::atomic<int> calls = 0;
  FakeFunction& function() { return function_; }

 private:
  void disturb() {
    switch (random_numbers() % 256) {
      case 0: function_.cache.clear(); break;
      case 1:
        ++changes_;
        scale_ = 1 + static_cast<int>(random_numbers() % 3);
        ++changes_;
        break;
      case 2: note_change(); break;
      case 3: function_.cache.texts(); break;
      case 4:
        for (const auto& known : function_.cache.specializations())
          known->signature->describe(interpreter_);
        break;
      default: break;
    }
  }

  SlowInterpreter interpreter_;
  std::atomic<int> scale_ = 1, changes_ = 0;
  const FakeObject zero_{0}, one_{1}, two_{2};
  const std::vector<const FakeObject*> numbers_ = {&zero_, &one_, &two_};
  FakeFunction function_;
};

TEST(TraceCacheStressTest, ManyThreadsCallOneFunction) {
  const auto seconds = platform::integer_setting("MYCEL_STRESS_SECONDS", 0, std::int64_t{1} << 30);
  Program program;
  const auto end = Clock::now() + std::chrono::seconds(seconds);
  std::vector<std::jthread> threads;
  for (unsigned i = 0; i < kThreads; ++i)
    threads.emplace_back([&program, end, i] { program.work(end, i); });
  threads.clear();
  EXPECT_GT(program.calls, program.function().captures.load());
  EXPECT_GT(program.function().cache.runs(), 0U);
}

}  // namespace
}  // namespace mycel::capture
