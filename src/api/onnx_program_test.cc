// SPDX-License-Identifier: Apache-2.0
// ONNX files through the classes that users see.
#include <atomic>
#include <filesystem>
#include <fstream>
#include <latch>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "formats/onnx/test_messages.h"
#include "include/api/model.h"
#include "include/api/raii.h"
#include "include/api/serialization.h"

namespace mindspore {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
namespace onnx = mycel::formats::onnx;
namespace fs = std::filesystem;

std::shared_ptr<Context> on_cpu() {
  auto context = std::make_shared<Context>();
  context->MutableDeviceInfo().push_back(std::make_shared<CPUDeviceInfo>());
  return context;
}

Model built(const onnx::Message& graph) {
  const std::string content = onnx::model(graph);
  Model model;
  const Status status = model.Build(content.data(), content.size(), kONNX, on_cpu());
  EXPECT_EQ(status, kSuccess) << status;
  return model;
}

std::string refusal(const std::string& content) {
  Graph graph;
  const Status status = Serialization::Load(content.data(), content.size(), kONNX, &graph);
  EXPECT_EQ(status, kMEInvalidInput);
  EXPECT_TRUE(graph == nullptr);
  return status.ToString();
}

MSTensor floats(const std::vector<float>& values, const std::vector<int64_t>& shape) {
  return MSTensor("x", DataType::kNumberTypeFloat32, shape, values.data(),
                  values.size() * sizeof(float));
}

std::vector<float> values_of(const MSTensor& tensor) {
  const Span<float> span(tensor);
  return {span.begin(), span.end()};
}

float predicted(Model& model, float value) {
  std::vector<MSTensor> outputs;
  const Status status = model.Predict({floats({value}, {})}, &outputs);
  EXPECT_EQ(status, kSuccess) << status;
  return outputs.empty() ? 0 : values_of(outputs[0]).at(0);
}

class OnnxFileTest : public ::testing::Test {
 protected:
  OnnxFileTest() { fs::create_directories(folder_); }
  ~OnnxFileTest() override { fs::remove_all(folder_); }
  std::string written(const std::string& content) const {
    std::ofstream(folder_ / "net.onnx", std::ios::binary) << content;
    return (folder_ / "net.onnx").string();
  }
  fs::path folder_ = fs::path(::testing::TempDir()) / "onnx_program_test";
};

TEST_F(OnnxFileTest, IsBuiltAskedAndPredicts) {
  const std::string path = written(onnx::model(onnx::adding()));
  Graph graph;
  ASSERT_EQ(Serialization::Load(path, kONNX, &graph), kSuccess);
  EXPECT_EQ(graph.ModelType(), kONNX);
  Model model;
  ASSERT_EQ(model.Build(GraphCell(graph), on_cpu()), kSuccess);
  EXPECT_EQ(model.GetInputs().at(0).Name(), "x");
  EXPECT_THAT(model.GetInputs()[0].Shape(), ElementsAre(3));
  EXPECT_THAT(model.GetOutputTensorNames(), ElementsAre("y"));
  EXPECT_EQ(model.GetModelInfo("weights_bytes"), "12");
  std::vector<MSTensor> outputs;
  ASSERT_EQ(model.Predict({floats({10, 20, 30}, {3})}, &outputs), kSuccess);
  EXPECT_THAT(values_of(outputs.at(0)), ElementsAre(11, 22, 33));
  EXPECT_EQ(outputs[0].Name(), "y");
  EXPECT_THAT(values_of(model.GetOutputByTensorName("y")), ElementsAre(11, 22, 33));
}

TEST_F(OnnxFileTest, ErrorsNameTheFileTheNodeAndTheCause) {
  Graph graph;
  const std::string unknown =
      written(onnx::model(onnx::adding().inner(1, onnx::node("Riddle", {"x"}, {"z"}))));
  const Status not_there = Serialization::Load(unknown, kONNX, &graph);
  EXPECT_EQ(not_there, kMEInvalidInput);
  EXPECT_THAT(not_there.ToString(), HasSubstr("net.onnx' uses 'Riddle' (node 'Riddle_1')"));
  const std::string whole = onnx::model(onnx::adding());
  const Status cut = Serialization::Load(written(whole.substr(0, 20)), kONNX, &graph);
  EXPECT_EQ(cut, kMEInvalidInput);
  EXPECT_THAT(cut.ToString(), HasSubstr("net.onnx' cannot be read"));
  // A node that does not fit its inputs is found when the model is built.
  const std::string unfit =
      written(onnx::model(onnx::adding()
                              .inner(5, onnx::floats("v", {1, 2}))
                              .inner(1, onnx::node("MatMul", {"x", "v"}, {"z"}))));
  Model model;
  const Status misfit = model.Build(unfit, kONNX, on_cpu());
  EXPECT_EQ(misfit, kMCFailed);
  EXPECT_THAT(misfit.ToString(), HasSubstr("net.onnx'"));
  EXPECT_THAT(misfit.ToString(), HasSubstr("Node 'MatMul_1' (MatMul)"));
}

// The Python package composes it of others.
TEST(OnnxProgramTest, WhatNeedsPythonIsAnErrorOfBuild) {
  onnx::Message node = onnx::node("Einsum", {"x", "x"}, {"y"});
  node.inner(5, onnx::Message().text(1, "equation").number(20, 3).text(4, "i,i->"));
  onnx::Message graph;
  graph.inner(1, node).inner(11, onnx::described("x", 1, 2)).inner(12, onnx::named("y"));
  const std::string content = onnx::model(graph);
  Model model;
  const Status status = model.Build(content.data(), content.size(), kONNX, on_cpu());
  EXPECT_EQ(status, kMCFailed);
  EXPECT_THAT(status.ToString(), HasSubstr("Node 'Einsum_0' (Einsum)"));
}

TEST(OnnxProgramTest, DamagedBytesAreRefused) {
  const std::string whole = onnx::model(onnx::adding());
  for (std::size_t end = 1; end < whole.size() - 4; end += 7) refusal(whole.substr(0, end));
  Graph graph;
  Key key;
  key.len = 16;
  EXPECT_EQ(Serialization::Load(whole.data(), whole.size(), kONNX, &graph, key), kMEInvalidInput);
}

TEST(OnnxProgramTest, InputsAreResized) {
  onnx::Message graph;
  graph.inner(1, onnx::node("Add", {"x", "x"}, {"y"}))
      .inner(11, onnx::described("x", 1, 2))
      .inner(12, onnx::named("y"));
  Model model = built(graph);
  ASSERT_EQ(model.Resize(model.GetInputs(), {{3}}), kSuccess);
  EXPECT_THAT(model.GetOutputs().at(0).Shape(), ElementsAre(3));
  std::vector<MSTensor> outputs;
  ASSERT_EQ(model.Predict({floats({1, 2, 3}, {3})}, &outputs), kSuccess);
  EXPECT_THAT(values_of(outputs[0]), ElementsAre(2, 4, 6));
}

TEST(OnnxProgramTest, LoopsAndDecisionsGoByValues) {
  Model halving = built(onnx::halving());
  EXPECT_THAT(halving.GetOutputs().at(0).Shape(), ElementsAre());  // known without a call
  EXPECT_EQ(predicted(halving, 6), 0.75F);
  EXPECT_EQ(predicted(halving, 0.5F), 0.5F);
  Model deciding = built(onnx::deciding());
  EXPECT_EQ(predicted(deciding, 3), -3);
  EXPECT_EQ(predicted(deciding, -4), 16);
}

TEST(OnnxProgramTest, RowsOfLoopsAreStacked) {
  Model model = built(onnx::counting(3, true));
  std::vector<MSTensor> outputs;
  ASSERT_EQ(model.Predict({floats({1}, {})}, &outputs), kSuccess);
  EXPECT_THAT(values_of(outputs.at(0)), ElementsAre(4));
  EXPECT_THAT(values_of(outputs.at(1)), ElementsAre(1, 2, 4));
  Model counted = built(onnx::counting(0, true));
  for (const float turns : {2.0F, 5.0F, 2.0F}) {
    ASSERT_EQ(counted.Predict({floats({turns}, {})}, &outputs), kSuccess);
    EXPECT_EQ(values_of(outputs.at(1)).size(), static_cast<std::size_t>(turns));
  }
}

// Whoever writes such a file must not make Build run for ever.
TEST(OnnxProgramTest, AFileWithALoopWithoutEndIsBuilt) {
  constexpr std::int64_t kForEver = std::int64_t{1} << 62;
  built(onnx::counting(kForEver));
  built(onnx::counting(kForEver, true));
}

TEST(OnnxThreadsTest, LoopsAndDecisionsFromManyThreads) {
  constexpr int kThreads = 8;
  constexpr int kCalls = 50;
  Model counting = built(onnx::counting());
  Model deciding = built(onnx::deciding());
  std::atomic<int> wrong = 0;
  std::latch start(kThreads);
  std::vector<std::thread> threads;
  for (int thread = 0; thread < kThreads; ++thread) {
    threads.emplace_back([&, thread] {
      start.arrive_and_wait();
      for (int i = 0; i < kCalls; ++i) {
        const auto x = static_cast<float>((thread + i) % 20);
        if (predicted(counting, x) != x + x * (x - 1) / 2) ++wrong;
        const float y = i % 2 == 0 ? x : -x;
        if (predicted(deciding, y) != (y > 0 ? -y : y * y)) ++wrong;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
}

}  // namespace
}  // namespace mindspore
