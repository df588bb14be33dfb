// SPDX-License-Identifier: Apache-2.0
#include "formats/onnx/model.h"

#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "formats/model_bytes.h"
#include "formats/onnx/test_messages.h"
#include "platform/error/error.h"

namespace mycel::formats::onnx {
namespace {

using op::Value;
using platform::Error;
using platform::ErrorKind;
using tensor::DType;
using tensor::Tensor;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

// ---- those who run them ----------------------------------------------------------------------

// Knows how to add.
class Adder final : public op::Emitter {
 public:
  op::ValueList emit(const op::OpDef& definition, std::span<const Value> inputs,
                     op::AttributeList) override {
    calls.push_back(definition.name);
    const Tensor first = inputs[0].tensor();
    Tensor result = Tensor::empty(first.shape(), first.dtype());
    for (std::int64_t i = 0; i < first.size(); ++i)
      result.data<float>()[i] = first.data<float>()[i] + inputs.back().tensor().data<float>()[i];
    return {Value(this, result)};
  }
  op::TensorSpec spec_of(const Value& value) const override {
    return {value.tensor().dtype(), value.tensor().shape(), false};
  }
  Value number(double) override { return {}; }
  Value integer(std::int64_t) override { return {}; }

  Datum vector(const std::vector<float>& values) {
    Tensor made = Tensor::empty({static_cast<std::int64_t>(values.size())}, DType::Float32);
    std::ranges::copy(values, made.data<float>());
    return Datum(Value(this, made));
  }
  std::vector<std::string> calls;
};

// Makes the turns of loops itself.
class Turner final : public LoopMaker {
 public:
  Outcome make_loop(const std::string& place, std::span<const Datum> initial, const Test& test,
                    const Turn& turn) override {
    places.push_back(place);
    Outcome outcome;
    outcome.last.assign(initial.begin(), initial.end());
    while (op::truth_of(test(outcome.last))) outcome.last = turn(outcome.last).next;
    return outcome;
  }
  Datum make_choice(const std::string&, const std::function<Datum()>& body) override {
    return body();
  }
  std::vector<std::string> places;
};

class PlainHost final : public Host {
 public:
  op::Emitter& emitter() override { return adder; }
  LoopMaker* loop_maker() override { return maker; }
  Adder adder;
  LoopMaker* maker = nullptr;
};

std::vector<float> elements(const Datum& datum) {
  const Tensor& tensor = datum.tensor().tensor();
  return {tensor.data<float>(), tensor.data<float>() + tensor.size()};
}

std::vector<Value> parameters_of(const Model& model, Adder& adder) {
  std::vector<Value> values;
  for (const Parameter& parameter : model.parameters())
    values.emplace_back(&adder, parameter.tensor);
  return values;
}

std::string refusal(const std::string& content, ErrorKind kind = ErrorKind::Value) {
  Adder adder;
  try {
    Model::read(content, std::nullopt, adder);
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), kind);
    return error.message();
  }
  return "nothing was wrong";
}

// ---- tests -----------------------------------------------------------------------------------

TEST(OnnxModelTest, TellsWhatItTakesAndGives) {
  Adder adder;
  const auto read = Model::read(model(adding()), std::nullopt, adder);
  EXPECT_EQ(read->name(), "sum");
  ASSERT_EQ(read->inputs().size(), 1U);
  EXPECT_EQ(read->inputs()[0].name, "x");
  EXPECT_EQ(read->inputs()[0].dtype, DType::Float32);
  EXPECT_THAT(*read->inputs()[0].dims, ElementsAre(3));
  EXPECT_THAT(read->outputs(), ElementsAre("y"));
  ASSERT_EQ(read->parameters().size(), 1U);
  EXPECT_EQ(read->parameters()[0].name, "w");
}

TEST(OnnxModelTest, Runs) {
  PlainHost host;
  const auto read = Model::read(model(adding()), std::nullopt, host.adder);
  const std::vector<Value> parameters = parameters_of(*read, host.adder);
  const Datum x = host.adder.vector({10, 20, 30});
  EXPECT_THAT(elements(read->run(std::span(&x, 1), parameters, host)), ElementsAre(11, 22, 33));
  const Datum wrong = host.adder.vector({1, 2});
  EXPECT_THROW(read->run(std::span(&wrong, 1), parameters, host), Error);
}

TEST(OnnxModelTest, LoopsTurnHereOrElsewhere) {
  const Message body = Message()
                           .inner(1, node("Add", {"state", "x"}, {"next"}))
                           .inner(11, named("turn"))
                           .inner(11, named("go"))
                           .inner(11, named("state"))
                           .inner(12, named("go"))
                           .inner(12, named("next"));
  const Message graph =
      Message()
          .inner(1, with_graph(node("Loop", {"count", "", "x"}, {"last"}), "body", body))
          .inner(5, whole("count", 4))
          .inner(11, described("x", 1, 2))
          .inner(12, named("last"));
  PlainHost host;
  const auto read = Model::read(model(graph), std::nullopt, host.adder);
  const Datum x = host.adder.vector({1, 2});
  EXPECT_THAT(elements(read->run(std::span(&x, 1), {}, host)), ElementsAre(5, 10));
  Turner turner;
  host.maker = &turner;
  EXPECT_THAT(elements(read->run(std::span(&x, 1), {}, host)), ElementsAre(5, 10));
  ASSERT_EQ(turner.places.size(), 1U);
  EXPECT_THAT(turner.places[0], HasSubstr("Loop_0"));
}

TEST(OnnxModelTest, RefusesWhatNoNetworkCanBe) {
  EXPECT_THAT(refusal(""), HasSubstr("holds no graph"));
  EXPECT_THAT(refusal(model(adding(), {}, 5), ErrorKind::NotImplemented), HasSubstr("version 5"));
  EXPECT_THAT(
      refusal(model(adding().inner(1, node("Riddle", {"x"}, {"z"}))), ErrorKind::NotImplemented),
      HasSubstr("uses 'Riddle' (node 'Riddle_1')"));
  EXPECT_THAT(refusal(model(adding().inner(1, node("Exp", {"z"}, {"z"})))),
              HasSubstr("form a cycle"));
  EXPECT_THAT(refusal(model(adding().inner(1, node("Exp", {"x"}, {"y"})))),
              HasSubstr("two nodes compute"));
  EXPECT_THAT(refusal(model(adding().inner(1, node("If", {"x"}, {"z"})))),
              HasSubstr("no 'then_branch'"));
  EXPECT_THAT(refusal(model(adding().inner(5, Message().number(1, 5).number(2, 1).text(8, "v")))),
              HasSubstr("needs 5 elements by its shape, but has 0"));
}

// Each function calls the next one ten times.
TEST(OnnxModelTest, FunctionsCannotGrowWithoutEnd) {
  std::vector<Message> functions;
  for (int level = 0; level < 12; ++level) {
    Message function;
    function.text(1, "F" + std::to_string(level)).text(10, "own").text(4, "a");
    for (int i = 0; i < 10; ++i)
      function.inner(7, node("F" + std::to_string(level + 1), {"a"}, {}).text(7, "own"));
    functions.push_back(function);
  }
  functions.push_back(Message().text(1, "F12").text(10, "own").text(4, "a"));
  const Message graph = adding().inner(1, node("F0", {"x"}, {}).text(7, "own"));
  EXPECT_THAT(refusal(model(graph, functions)), HasSubstr("calls of its functions"));
}

// Tensors of a few bytes of a file.
TEST(OnnxModelTest, DataFilesCannotGrowWithoutEnd) {
  Taken taken;
  for (int i = 0; i < 16; ++i) EXPECT_TRUE(taken.add(10, 10));
  EXPECT_TRUE(taken.add(9, 10));
  EXPECT_TRUE(taken.add(6, 10));
  EXPECT_FALSE(taken.add(1, 10));
}

TEST(OnnxModelTest, TensorsLieBesideTheFile) {
  namespace fs = std::filesystem;
  const fs::path folder = fs::path(::testing::TempDir()) / "onnx_model_test";
  fs::create_directories(folder);
  const std::vector<float> values{4, 5, 6};
  std::ofstream(folder / "data.bin", std::ios::binary)
      .write(reinterpret_cast<const char*>(values.data()), 12);
  const auto written = [&](std::string_view location) {
    const Message place = Message().text(1, "location").text(2, location);
    const Message tensor =
        Message().number(1, 3).number(2, 1).text(8, "w").number(14, 1).inner(13, place);
    const Message graph = Message()
                              .inner(1, node("Add", {"x", "w"}, {"y"}))
                              .inner(5, tensor)
                              .inner(11, named("x"))
                              .inner(12, named("y"));
    std::ofstream(folder / "net.onnx", std::ios::binary) << model(graph);
    return (folder / "net.onnx").string();
  };
  Adder adder;
  const auto read = Model::load(written("data.bin"), adder);
  EXPECT_EQ(read->parameters()[0].tensor.data<float>()[2], 6);
  for (const std::string_view location : {"../data.bin", "/etc/hostname", "lost.bin", ""})
    EXPECT_THROW(Model::load(written(location), adder), Error) << location;
  fs::remove_all(folder);
}

}  // namespace
}  // namespace mycel::formats::onnx
