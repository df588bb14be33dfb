// SPDX-License-Identifier: Apache-2.0
#include "formats/mindir/model.h"

#include <atomic>
#include <thread>

#include <gtest/gtest.h>

#include "formats/mindir/test_messages.h"
#include "formats/program/model_harness.h"

namespace mycel::formats::mindir {
namespace {

using testing::run;

std::shared_ptr<const Model> read(std::string content) {
  return testing::read<Model>(std::move(content));
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
  const GraphParts inner{"inner", {}, {node("z", "Neg", {"a"})}, {"z"}};
  const GraphParts around{"around", {"a"}, {node("b", "REF::inner", {})}, {"b"}};
  EXPECT_NE(refusal(file({"top", {"x"}, {node("y", "REF::inner", {})}, {"y"}}, {inner, around}))
                .find("'top', with which the program begins, needs names of 'around'"),
            std::string::npos);
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
