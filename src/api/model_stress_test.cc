// SPDX-License-Identifier: Apache-2.0
// Threads that do everything at once with models of one file, with random delays. Runs a moment;
// MYCEL_STRESS_SECONDS says for how long, and it is what the sanitizers should be run with.
#include <atomic>
#include <chrono>
#include <random>
#include <thread>

#include <gtest/gtest.h>

#include "formats/onnx/test_messages.h"
#include "include/api/model.h"
#include "include/api/raii.h"
#include "include/api/serialization.h"
#include "platform/options/options.h"

namespace mindspore {
namespace {

using Clock = std::chrono::steady_clock;
using Random = std::minstd_rand;
namespace onnx = mycel::formats::onnx;

constexpr int kThreads = 8;
constexpr std::int64_t kWidth = 2048;  // weights of this length are shared between models

void delay(Random& random) {
  const auto kind = random() % 16;
  if (kind == 0) std::this_thread::sleep_for(std::chrono::microseconds(random() % 300));
  if (kind < 4) std::this_thread::yield();
}

std::shared_ptr<Context> on_cpu() {
  auto context = std::make_shared<Context>();
  context->MutableDeviceInfo().push_back(std::make_shared<CPUDeviceInfo>());
  return context;
}

// x + w for any number of rows.
onnx::Message adding_rows() {
  std::vector<float> weights(kWidth);
  for (std::size_t i = 0; i < weights.size(); ++i) weights[i] = static_cast<float>(i);
  onnx::Message open, fixed;
  open.text(2, "rows");
  fixed.number(1, kWidth);
  const onnx::Message shape = onnx::Message().inner(1, open).inner(1, fixed);
  const onnx::Message type = onnx::Message().number(1, 1).inner(2, shape);
  return onnx::Message()
      .inner(1, onnx::node("Add", {"x", "w"}, {"y"}))
      .inner(5, onnx::floats("w", weights))
      .inner(11, onnx::named("x").inner(2, onnx::Message().inner(1, type)))
      .inner(12, onnx::named("y"));
}

// One file, and the model of it that all threads use.
class SharedModel {
 public:
  explicit SharedModel(const onnx::Message& graph) : content_(onnx::model(graph)) {
    EXPECT_EQ(built(model), kSuccess);
  }
  Status built(Model& made) const {
    return made.Build(content_.data(), content_.size(), kONNX, on_cpu());
  }
  Model model;

 private:
  std::string content_;
};

struct Work {
  SharedModel rows{adding_rows()}, counting{onnx::counting()}, deciding{onnx::deciding()};
  std::atomic<int> wrong = 0;

  void check(Model& model, const MSTensor& input, float expected) {
    std::vector<MSTensor> outputs;
    const bool is_right =
        model.Predict({input}, &outputs) == kSuccess && Span<float>(outputs.at(0))[0] == expected;
    if (!is_right) ++wrong;
  }

  static MSTensor filled(float value, const std::vector<int64_t>& shape) {
    std::size_t count = 1;
    for (const int64_t length : shape) count *= static_cast<std::size_t>(length);
    const std::vector<float> values(count, value);
    return MSTensor("x", DataType::kNumberTypeFloat32, shape, values.data(), count * sizeof(float));
  }

  void step(Random& random) {
    const auto x = static_cast<float>(random() % 12);
    const int64_t rows_given = 1 + static_cast<int64_t>(random() % 3);
    switch (random() % 12) {
      case 0:
        EXPECT_EQ(rows.model.Resize(rows.model.GetInputs(), {{rows_given, kWidth}}), kSuccess);
        break;
      case 1: EXPECT_EQ(rows.built(rows.model), kSuccess); break;
      case 2: {  // the same weights in another model
        Model other;
        EXPECT_EQ(rows.built(other), kSuccess);
        delay(random);
        check(other, filled(x, {rows_given, kWidth}), x);
        break;
      }
      case 3: {
        Model copy = counting.model;
        delay(random);
        check(copy, filled(x, {}), x + x * (x - 1) / 2);
        break;
      }
      case 4: EXPECT_EQ(deciding.built(deciding.model), kSuccess); break;
      case 5: EXPECT_EQ(counting.model.GetInputs().size(), 1U); break;
      case 6: EXPECT_EQ(rows.model.GetOutputs().size(), 1U); break;
      case 7:
      case 8: check(counting.model, filled(x, {}), x + x * (x - 1) / 2); break;
      case 9: check(deciding.model, filled(x - 6, {}), x > 6 ? 6 - x : (x - 6) * (x - 6)); break;
      default: check(rows.model, filled(x, {rows_given, kWidth}), x); break;
    }
  }
};

TEST(ModelStressTest, EverythingAtOnce) {
  const auto seconds =
      mycel::platform::integer_setting("MYCEL_STRESS_SECONDS", 0, std::int64_t{1} << 30);
  const auto end = Clock::now() + std::chrono::seconds(seconds);
  Work work;
  std::atomic<long> steps = 0;
  std::vector<std::thread> threads;
  for (int thread = 0; thread < kThreads; ++thread)
    threads.emplace_back([&, thread] {
      Random random(static_cast<Random::result_type>(thread + 1));
      for (; Clock::now() < end && work.wrong == 0; ++steps) {
        work.step(random);
        delay(random);
      }
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(work.wrong, 0);
  RecordProperty("steps", std::to_string(steps));
}

}  // namespace
}  // namespace mindspore
