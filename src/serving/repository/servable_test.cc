// SPDX-License-Identifier: Apache-2.0
#include "serving/repository/servable.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace mycel::serving {
namespace {

using testing::HasSubstr;

constexpr std::string_view kServable = R"({
  "name": "add", "folder": "/servables/add",
  "models": [{"files": ["a.mindir", "b.mindir"], "format": "MindIR", "with_batch_dim": true,
              "without_batch_dim_inputs": [1], "thread_num": 2, "precision_mode": "fp16"}],
  "functions": ["prepare"],
  "methods": [{"name": "sum", "inputs": ["x1", "x2"], "outputs": ["y"],
    "stages": [
      {"function": 0, "batch_size": null, "inputs": [[0, 0], [0, 1]], "outputs": 2, "tag": "Preprocess"},
      {"model": 0, "subgraph": 1, "inputs": [[1, 0], [1, 1]], "outputs": 1, "tag": "model"}],
    "results": [[2, 0]]}]})";

Servable read(std::string text) { return read_servable(platform::parse_json(text, "servable")); }

// What is said to the servable above when a piece of it is another.
std::string refusal_of(std::string_view piece, std::string_view other) {
  std::string text(kServable);
  const std::size_t at = text.find(piece);
  EXPECT_NE(at, std::string::npos) << piece;
  text.replace(at, piece.size(), other);
  try {
    read(text);
  } catch (const platform::Error& error) {
    return error.message();
  }
  return "";
}

TEST(ServableTest, NumbersOutOfRangeAreRefused) {
  EXPECT_THAT(refusal_of("\"model\": 0", "\"model\": 1"), HasSubstr("model 1 is not below 1"));
  EXPECT_THAT(refusal_of("\"model\": 0", "\"model\": -1"), HasSubstr("model -1"));
  EXPECT_THAT(refusal_of("\"subgraph\": 1", "\"subgraph\": 2"), HasSubstr("subgraph 2"));
  EXPECT_THAT(refusal_of("\"function\": 0", "\"function\": 1"), HasSubstr("function 1"));
  EXPECT_THAT(refusal_of("[0, 1]", "[0, 2]"), HasSubstr("value 2"));
  EXPECT_THAT(refusal_of("[1, 1]", "[1, 2]"), HasSubstr("value 2"));
  EXPECT_THAT(refusal_of("[0, 0]", "[1, 0]"), HasSubstr("stage 1"));  // its own result
  EXPECT_THAT(refusal_of("[2, 0]", "[3, 0]"), HasSubstr("stage 3"));
  EXPECT_THAT(refusal_of("[2, 0]", "[2]"), HasSubstr("pair"));
  EXPECT_THAT(refusal_of("\"batch_size\": null", "\"batch_size\": -1"), HasSubstr("batch_size"));
}

TEST(ServableTest, MissingMembersAreNamed) {
  EXPECT_THAT(refusal_of("\"folder\"", "\"other\""), HasSubstr("'folder'"));
  EXPECT_THAT(refusal_of("\"results\"", "\"result\""), HasSubstr("'results'"));
}

TEST(ServableTest, ResultsHaveNames) {
  EXPECT_THAT(refusal_of("\"outputs\": [\"y\"]", "\"outputs\": [\"y\", \"z\"]"),
              HasSubstr("method 'sum' returns 1 values, but names 2"));
}

TEST(ServableTest, ModelsHaveFilesAndAFormat) {
  EXPECT_THAT(refusal_of("[\"a.mindir\", \"b.mindir\"]", "[]"), HasSubstr("a model has no file"));
  EXPECT_THAT(refusal_of("\"MindIR\"", "\"OM\""), HasSubstr("'OM'"));
}

TEST(ServableTest, IsReadWhole) {
  const Servable servable = read(std::string(kServable));
  EXPECT_EQ(servable.name, "add");
  ASSERT_EQ(servable.models.size(), 1U);
  EXPECT_TRUE(servable.models[0].has_batch);
  EXPECT_TRUE(servable.models[0].use_float16);
  EXPECT_EQ(servable.models[0].thread_count, 2);
  EXPECT_EQ(servable.models[0].inputs_without_batch, std::vector<std::size_t>{1});
  const Method* method = servable.find("sum");
  ASSERT_NE(method, nullptr);
  EXPECT_EQ(servable.usual_method(), method);
  EXPECT_EQ(servable.find("other"), nullptr);
  ASSERT_EQ(method->stages.size(), 2U);
  EXPECT_EQ(method->stages[0].kind, StageKind::Function);
  EXPECT_EQ(method->stages[0].batch_size, std::nullopt);
  EXPECT_EQ(method->stages[1].subgraph, 1U);
  EXPECT_TRUE(servable.needs_functions());
}

}  // namespace
}  // namespace mycel::serving
