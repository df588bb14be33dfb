// SPDX-License-Identifier: Apache-2.0
// Networks of MindIR files that ask for more than there is: refused when they are built.
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "formats/mindir/test_messages.h"
#include "include/api/model.h"

namespace mindspore {
namespace {

using mycel::formats::mindir::file;
using mycel::formats::mindir::GraphParts;
using mycel::formats::mindir::node;

constexpr int kDoublings = 40;

Status built(const std::string& content) {
  auto context = std::make_shared<Context>();
  context->MutableDeviceInfo().push_back(std::make_shared<CPUDeviceInfo>());
  Model model;
  return model.Build(content.data(), content.size(), kMindIR, context);
}

std::vector<std::string> numbered(const std::string& name) {
  std::vector<std::string> names;
  for (int i = 0; i <= kDoublings; ++i) names.push_back(name + std::to_string(i));
  return names;
}

TEST(MindirProgramTest, GraphsThatCallEachOtherTwiceAreNotWrittenDown) {
  const auto graphs = numbered("graph"), inputs = numbered("input"), first = numbered("first"),
             second = numbered("second"), callees = numbered("REF::graph");
  std::vector<GraphParts> functions{
      {graphs[0], {inputs[0]}, {node(second[0], "Neg", {inputs[0]})}, {second[0]}}};
  for (std::size_t i = 1; i < graphs.size(); ++i)
    functions.push_back(
        {graphs[i],
         {inputs[i]},
         {node(first[i], callees[i - 1], {inputs[i]}), node(second[i], callees[i - 1], {first[i]})},
         {second[i]}});
  const Status status =
      built(file({"top", {"x"}, {node("y", callees.back(), {"x"})}, {"y"}}, functions));
  EXPECT_EQ(status, kMCFailed);
  EXPECT_NE(status.ToString().find("calls its graphs more than"), std::string::npos) << status;
}

TEST(MindirProgramTest, ValuesHeldManyTimesAreCounted) {
  const auto names = numbered("twice");
  std::vector<std::string> nodes{node(names[0], "Neg", {"x"})};
  for (std::size_t i = 1; i < names.size(); ++i)
    nodes.push_back(node(names[i], "MakeTuple", {names[i - 1], names[i - 1]}));
  const Status status = built(file({"top", {"x"}, nodes, {names.back()}}));
  EXPECT_EQ(status, kMCFailed);
  EXPECT_NE(status.ToString().find("values together"), std::string::npos) << status;
}

TEST(MindirProgramTest, DeeplyNestedValuesAreRefused) {
  constexpr std::size_t kDepth = 5000;
  std::vector<std::string> names{"x"};
  std::vector<std::string> nodes;
  for (std::size_t i = 1; i <= kDepth; ++i) names.push_back("in" + std::to_string(i));
  for (std::size_t i = 1; i <= kDepth; ++i)
    nodes.push_back(node(names[i], "MakeTuple", {names[i - 1]}));
  const Status status = built(file({"top", {"x"}, nodes, {names.back()}}));
  EXPECT_EQ(status, kMCFailed);
  EXPECT_NE(status.ToString().find("nested more than"), std::string::npos) << status;
}

}  // namespace
}  // namespace mindspore
