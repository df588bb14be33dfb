// SPDX-License-Identifier: Apache-2.0
#include "api/region_loops.h"

#include <gtest/gtest.h>

#include "eager/dispatch.h"
#include "formats/mindir/model.h"
#include "formats/mindir/test_messages.h"
#include "formats/onnx/model.h"
#include "formats/onnx/test_messages.h"
#include "passes/pipeline.h"
#include "runtime/executable.h"

namespace mycel::api {
namespace {

using formats::mindir::Model;
using op::Datum;
using tensor::DType;
using tensor::Tensor;

class RecordingHost final : public formats::Host {
 public:
  explicit RecordingHost(capture::Recorder& recorder) : loops_(recorder) {}
  op::Emitter& emitter() override { return eager::emitter(); }
  formats::LoopMaker* loop_maker() override { return &loops_; }

 private:
  RegionLoops loops_;
};

Tensor number(float value) {
  Tensor tensor = Tensor::empty({}, DType::Float32);
  *tensor.data<float>() = value;
  return tensor;
}

struct Recorded {
  std::shared_ptr<runtime::Executable> executable;
  float result = 0;
  std::size_t steps = 0;
};

template <class AnyModel>
Recorded record(const AnyModel& model, float value) {
  Recorded recorded;
  capture::Run run;
  run.values = {number(value)};
  const std::vector<Tensor> inputs = run.values;
  const auto compile = [&](std::unique_ptr<ir::Graph> graph) {
    passes::optimize(*graph, {});
    recorded.executable = std::make_shared<runtime::Executable>(std::move(graph));
    ++recorded.steps;
    return recorded.executable;
  };
  capture::Recorder recorder(
      std::move(run), inputs, compile, [] { return ir::Position{}; }, "test");
  RecordingHost host(recorder);
  const Datum given(op::Value(&eager::emitter(), recorder.argument(0)));
  const Datum result = model.run(std::span(&given, 1), {}, host);
  const std::vector<Tensor> results{result.tensor().tensor()};
  recorder.finish(results, nullptr);
  recorded.result = *results[0].data<float>();
  return recorded;
}

float rerun(const Recorded& recorded, float value) {
  const std::vector<Tensor> given{number(value)};
  return *recorded.executable->run(given)[0].data<float>();
}

std::shared_ptr<const Model> read(std::string content) {
  return Model::read(std::move(content), std::nullopt, eager::emitter());
}

TEST(RegionLoopsTest, ALoopOfAFileIsOneNode) {
  const auto model = read(formats::mindir::halving());
  const Recorded recorded = record(*model, 6);
  EXPECT_FLOAT_EQ(recorded.result, -0.75F);
  EXPECT_EQ(recorded.steps, 1U);
  EXPECT_NE(ir::to_text(recorded.executable->graph()).find("while"), std::string::npos);
  EXPECT_FLOAT_EQ(rerun(recorded, 1e6F), -0.95367432F);  // however many turns
  EXPECT_FLOAT_EQ(rerun(recorded, 0.5F), -0.5F);
}

Recorded record_onnx(const formats::onnx::Message& graph, float value) {
  const auto model =
      formats::onnx::Model::read(formats::onnx::model(graph), std::nullopt, eager::emitter());
  return record(*model, value);
}

TEST(RegionLoopsTest, ALoopOfAnOnnxFileIsOneNode) {
  const Recorded recorded = record_onnx(formats::onnx::halving(), 6);
  EXPECT_FLOAT_EQ(recorded.result, 0.75F);
  EXPECT_EQ(recorded.steps, 1U);
  EXPECT_NE(ir::to_text(recorded.executable->graph()).find("while"), std::string::npos);
  EXPECT_FLOAT_EQ(rerun(recorded, 1e6F), 0.95367432F);  // however many turns
  EXPECT_FLOAT_EQ(rerun(recorded, 0.5F), 0.5F);
}

TEST(RegionLoopsTest, TurnsThatAreCountedAreOneNode) {
  const Recorded recorded = record_onnx(formats::onnx::counting(), 4);
  EXPECT_FLOAT_EQ(recorded.result, 10);
  EXPECT_EQ(recorded.steps, 1U);
  EXPECT_FLOAT_EQ(rerun(recorded, 0), 0);
  EXPECT_FLOAT_EQ(rerun(recorded, 100), 5050);
}

TEST(RegionLoopsTest, FewTurnsAreMadeOneByOneAndManyAreALoop) {
  const Recorded few = record_onnx(formats::onnx::counting(5), 1);
  EXPECT_FLOAT_EQ(few.result, 11);
  EXPECT_EQ(ir::to_text(few.executable->graph()).find("while"), std::string::npos);
  const Recorded many = record_onnx(formats::onnx::counting(1000), 1);
  EXPECT_FLOAT_EQ(many.result, 499501);
  EXPECT_NE(ir::to_text(many.executable->graph()).find("while"), std::string::npos);
}

// The turn returns from within: that is no loop of a graph, so values decide.
TEST(RegionLoopsTest, WhatIsNoLoopIsLookedAt) {
  using formats::mindir::GraphParts;
  using formats::mindir::node;
  const GraphParts top{"top", {"x"}, {node("y", "REF::head", {"x"})}, {"y"}};
  const GraphParts head{
      "head",
      {"h"},
      {node("one", "Constant", {}, formats::mindir::number(1)),
       node("is_large", "GreaterEqual", {"h", "one"}),
       node("chosen", "Switch", {"is_large", "body", "end"}), node("r", "REF::chosen", {})},
      {"r"}};
  const GraphParts body{
      "body",
      {},
      {node("four", "Constant", {}, formats::mindir::number(4)),
       node("is_huge", "GreaterEqual", {"h", "four"}),
       node("inner", "Switch", {"is_huge", "again", "leave"}), node("b", "REF::inner", {})},
      {"b"}};
  const GraphParts again{"again",
                         {},
                         {node("half", "Constant", {}, formats::mindir::number(0.5)),
                          node("less", "Mul", {"h", "half"}), node("a", "REF::head", {"less"})},
                         {"a"}};
  const GraphParts leave{"leave", {}, {node("l", "Square", {"h"})}, {"l"}};
  const GraphParts end{"end", {}, {node("e", "Neg", {"h"})}, {"e"}};
  const auto model = read(formats::mindir::file(top, {head, body, again, leave, end}));
  EXPECT_FLOAT_EQ(record(*model, 12).result, 9);
  EXPECT_FLOAT_EQ(record(*model, 0.5F).result, -0.5F);
}

}  // namespace
}  // namespace mycel::api
