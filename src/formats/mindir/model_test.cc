// SPDX-License-Identifier: Apache-2.0
#include "formats/mindir/model.h"

#include <atomic>
#include <functional>
#include <thread>

#include <gtest/gtest.h>

#include "formats/mindir/model_harness.h"
#include "platform/protobuf/message.h"

namespace mycel::formats::mindir {
namespace {

using platform::MessageWriter;
using tensor::DType;
using tensor::Tensor;
using testing::read;
using testing::run;

// ---- files of a few nodes
// ------------------------------------------------------------------------

std::string message(const std::function<void(MessageWriter&)>& fill) {
  std::string bytes;
  MessageWriter writer(bytes);
  fill(writer);
  return bytes;
}

std::string node(std::string_view output, std::string_view op_type,
                 const std::vector<std::string_view>& inputs, std::string_view attribute = {}) {
  return message([&](MessageWriter& writer) {
    for (const std::string_view input : inputs) writer.bytes(1, input);
    writer.bytes(2, output);
    writer.bytes(4, op_type);
    if (!attribute.empty()) writer.bytes(5, attribute);
  });
}

std::string tensor_type(std::string_view name) {
  const std::string type = message([&](MessageWriter& writer) { writer.varint(2, 1); });
  return message([&](MessageWriter& writer) {
    writer.bytes(1, name);
    writer.bytes(2, type);
  });
}

std::string number(double value) {
  return message([&](MessageWriter& writer) {
    writer.bytes(1, "value");
    writer.fixed32(2, static_cast<float>(value));
    writer.varint(16, 1);
  });
}

struct GraphParts {
  std::string_view name;
  std::vector<std::string_view> inputs;
  std::vector<std::string> nodes;
  std::vector<std::string_view> outputs;
};

std::string graph(const GraphParts& parts) {
  return message([&](MessageWriter& writer) {
    for (const std::string& one : parts.nodes) writer.bytes(1, one);
    writer.bytes(2, parts.name);
    for (const std::string_view input : parts.inputs) {
      const bool is_plain = input.starts_with("plain");
      writer.bytes(
          5, is_plain ? message([&](MessageWriter& w) { w.bytes(1, input); }) : tensor_type(input));
    }
    for (const std::string_view output : parts.outputs) writer.bytes(6, tensor_type(output));
  });
}

std::string file(const GraphParts& top, const std::vector<GraphParts>& functions = {}) {
  return message([&](MessageWriter& writer) {
    writer.bytes(2, "MindSpore");
    writer.bytes(5, "2.3.0");
    writer.bytes(7, graph(top));
    for (const GraphParts& function : functions) writer.bytes(8, graph(function));
  });
}

std::string refusal(const std::string& content) {
  try {
    read(content);
  } catch (const platform::Error& error) {
    return error.message();
  }
  return "";
}

// y = (x + 2) * x
const GraphParts kStraight{"top",
                           {"x"},
                           {node("c", "Constant", {}, number(2)), node("s", "Add", {"x", "c"}),
                            node("y", "Mul", {"s", "x"})},
                           {"y"}};

TEST(MindirModelTest, NodesAreOperators) { EXPECT_FLOAT_EQ(run(*read(file(kStraight)), 3), 15); }

// Halves x until it is below 1: the head calls itself through a switch.
std::string halving() {
  const GraphParts top{"top", {"x"}, {node("y", "REF::head", {"x"})}, {"y"}};
  const GraphParts head{
      "head",
      {"h"},
      {node("one", "Constant", {}, number(1)), node("is_large", "GreaterEqual", {"h", "one"}),
       node("chosen", "Switch", {"is_large", "body", "end"}), node("r", "REF::chosen", {})},
      {"r"}};
  const GraphParts body{"body",
                        {},
                        {node("half", "Constant", {}, number(0.5)),
                         node("less", "Mul", {"h", "half"}), node("b", "REF::head", {"less"})},
                        {"b"}};
  const GraphParts end{"end", {}, {node("e", "Neg", {"h"})}, {"e"}};
  return file(top, {head, body, end});
}

TEST(MindirModelTest, CallsThatEndAGraphMakeLoops) {
  const auto model = read(halving());
  EXPECT_FLOAT_EQ(run(*model, 0.75F), -0.75F);
  EXPECT_FLOAT_EQ(run(*model, 6), -0.75F);
}

TEST(MindirModelTest, ManyThreadsRunOneModel) {
  const auto model = read(halving());
  std::vector<std::thread> threads;
  std::atomic<int> wrong = 0;
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back([&, i] {
      for (int turn = 0; turn < 50; ++turn) {
        const float x = static_cast<float>(1 << (i % 5)) * 1.5F;
        if (run(*model, x) != -0.75F) ++wrong;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
}

TEST(MindirModelTest, MistakesAreNamed) {
  const auto broken = [](std::vector<std::string> nodes) {
    return refusal(file({"top", {"x"}, std::move(nodes), {"y"}}));
  };
  EXPECT_NE(broken({node("y", "Add", {"x", "z"})}).find("there is nothing called 'z'"),
            std::string::npos);
  EXPECT_NE(broken({node("y", "Add", {"x", "y"})}).find("needs itself"), std::string::npos);
  EXPECT_NE(broken({node("x", "Neg", {"x"})}).find("'x' is defined twice"), std::string::npos);
  EXPECT_NE(broken({node("y", "", {"x"})}).find("does not tell what it calls"), std::string::npos);
  EXPECT_NE(refusal("no such file").find("not a MindIR file or is damaged"), std::string::npos);
}

TEST(MindirModelTest, AnOperatorThatNobodyHasIsNamedWithItsNode) {
  const auto model = read(file({"top", {"x"}, {node("y", "Nowhere", {"x"})}, {"y"}}));
  try {
    run(*model, 1);
    FAIL();
  } catch (const platform::Error& error) {
    EXPECT_EQ(error.kind(), platform::ErrorKind::NotImplemented);
    EXPECT_NE(error.message().find("'Nowhere'"), std::string::npos);
    EXPECT_NE(error.message().find("In the node 'y' of the graph 'top'."), std::string::npos);
  }
}

TEST(MindirModelTest, GraphsThatNeverEndAreStopped) {
  const GraphParts top{"top", {"x"}, {node("y", "REF::again", {"x"})}, {"y"}};
  const GraphParts again{
      "again", {"a"}, {node("b", "REF::again", {"a"}), node("c", "Neg", {"b"})}, {"c"}};
  const auto model = read(file(top, {again}));
  EXPECT_THROW(run(*model, 1), platform::Error);
}

}  // namespace
}  // namespace mycel::formats::mindir
