// SPDX-License-Identifier: Apache-2.0
#include "serving/repository/signature.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace mycel::serving {
namespace {

using testing::HasSubstr;

Signatures one_model() {
  ModelSignature signature;
  signature.inputs = {{"ids", ElementType::Int32, {8, -1}}, {"scale", ElementType::Float32, {2}}};
  signature.outputs = {{"y", ElementType::Float32, {8, 4}}};
  signature.batch_size = 8;
  return {{signature}};
}

Value zeros(ElementType type, Dims dims) {
  const std::vector<std::byte> bytes(element_count(dims).value() * size_of(type));
  return make_value(type, std::move(dims), bytes);
}

std::string refusal_of(const Instance& instance) {
  const auto failure =
      refusal({.files = {"m"}, .inputs_without_batch = {1}}, one_model()[0][0], instance);
  if (failure) EXPECT_EQ(failure->code, FailureCode::InvalidInputs);
  return failure ? failure->text : "";
}

TEST(SignatureTest, NonsenseIsRefused) {
  for (
      const std::string_view text :
      {"{}", "[1]", "[[1]]", R"([[{"inputs":[],"outputs":[]}]])",
       R"([[{"inputs":[],"outputs":[],"batch_size":-1}]])",
       R"([[{"inputs":[],"outputs":[],"batch_size":4294967297}]])",
       R"([[{"inputs":[{"name":"x","type":0,"dims":[]}],"outputs":[],"batch_size":1}]])",
       R"([[{"inputs":[{"name":"x","type":16,"dims":[]}],"outputs":[],"batch_size":1}]])",
       R"([[{"inputs":[{"name":"x","type":1,"dims":[-2]}],"outputs":[],"batch_size":1}]])",
       R"([[{"inputs":[{"name":"x","type":1,"dims":[4611686018427387904,4]}],"outputs":[],"batch_size":1}]])"})
    EXPECT_THROW(read_signatures(platform::parse_json(text, "signatures")), platform::Error)
        << text;
}

TEST(SignatureTest, ComesBack) {
  const Signatures own =
      read_signatures(platform::parse_json(to_json(one_model()).text(), "signatures"));
  EXPECT_EQ(to_json(own).text(), to_json(one_model()).text());
  EXPECT_EQ(own[0][0].inputs[0].dims, (Dims{8, -1}));
  EXPECT_EQ(own[0][0].batch_size, 8U);
}

TEST(SignatureTest, RefusalsAreInTheWordsOfMindSpore) {
  EXPECT_THAT(refusal_of({zeros(ElementType::Int32, {3})}),
              HasSubstr("Given model inputs size 1 less than model inputs size 2"));
  EXPECT_THAT(refusal_of({zeros(ElementType::Int64, {3}), zeros(ElementType::Float32, {2})}),
              HasSubstr("Given model input 0 data type kMSI_Int64 not match the data type "
                        "kMSI_Int32 defined in model"));
  EXPECT_THAT(refusal_of({zeros(ElementType::Int32, {3}), zeros(ElementType::Float32, {3})}),
              HasSubstr("Given model input 1 size 12 not match the size 8 defined in model"));
  EXPECT_THAT(
      refusal_of({zeros(ElementType::Int32, {3, 1}), zeros(ElementType::Float32, {2})}),
      HasSubstr("Given model input 0 shape [3, 1] not match the shape [-1] defined in model"));
}

TEST(SignatureTest, OpenLengthsMayBeAny) {
  for (const std::int64_t length : {0, 1, 100})
    EXPECT_EQ(refusal_of({zeros(ElementType::Int32, {length}), zeros(ElementType::Float32, {2})}),
              "");
}

// Clients that give a row as [1, n] are as right as those that give [n].
TEST(SignatureTest, SizeAloneCountsWhereLengthsAreKnown) {
  EXPECT_EQ(refusal_of({zeros(ElementType::Int32, {3}), zeros(ElementType::Float32, {1, 2})}), "");
}

}  // namespace
}  // namespace mycel::serving
