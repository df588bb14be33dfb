// SPDX-License-Identifier: Apache-2.0
#include "serving/gateway/classic_json.h"

#include <cstring>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "serving/batching/request.h"

namespace mycel::serving {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

std::string refusal_of(std::string_view body) {
  const auto read = read_classic_body(body);
  const auto* text = std::get_if<std::string>(&read);
  return text == nullptr ? "" : *text;
}

// What is said to a value of an input.
std::string value_refusal(std::string_view value) {
  const std::string text = refusal_of(R"({"instances":{"x":)" + std::string(value) + "}}");
  EXPECT_THAT(text, StartsWith("Parser request failed, ")) << value;
  return text;
}

Value value_of(std::string_view value) {
  const auto read = read_classic_body(R"({"instances":[{"x":)" + std::string(value) + "}]}");
  if (const auto* text = std::get_if<std::string>(&read)) {
    ADD_FAILURE() << value << ": " << *text;
    return {};
  }
  return std::get<0>(read).at(0).at(0).second;
}

template <class Number>
std::vector<Number> numbers_of(const Value& value) {
  std::vector<Number> numbers(value.bytes.size() / sizeof(Number));
  std::memcpy(numbers.data(), value.bytes.data(), value.bytes.size());
  return numbers;
}

std::string text_of(const Value& value) { return std::string(text_elements(value).value().at(0)); }

TEST(ClassicJsonTest, BodiesThatAreNoJsonAreRefused) {
  for (const std::string_view body : {"", "{", "nothing", R"({"instances":})", "{} {}", "\xff"})
    EXPECT_THAT(refusal_of(body), StartsWith("Illegal JSON format")) << body;
  EXPECT_THAT(refusal_of(std::string(100'000, '[')), StartsWith("Illegal JSON format"));
}

TEST(ClassicJsonTest, InstancesHaveToBeThereOnce) {
  for (const std::string_view body :
       {"{}", R"({"instance":[]})", R"({"instances":[{"x":1}],"instances":[{"x":1}]})"})
    EXPECT_THAT(refusal_of(body), HasSubstr("key 'instances' should exist and be the only one"));
  EXPECT_THAT(refusal_of("[1]"), StartsWith("Parser request failed, "));
  EXPECT_THAT(refusal_of(R"({"instances":[]})"),
              HasSubstr("Instances count of request cannot be 0"));
}

TEST(ClassicJsonTest, BareValuesAreNoInstances) {
  for (const std::string_view body : {R"({"instances":1})", R"({"instances":[1,2]})",
                                      R"({"instances":[[1]]})", R"({"instances":null})"})
    EXPECT_THAT(refusal_of(body), StartsWith("Parser request failed, ")) << body;
}

TEST(ClassicJsonTest, TooManyInstancesAreRefused) {
  std::string body = R"({"instances":[{})";
  for (std::size_t i = 0; i < kMostRequestInstances; ++i) body += ",{}";
  EXPECT_THAT(refusal_of(body + "]}"), HasSubstr("may hold at most"));
}

TEST(ClassicJsonTest, MixedElementsAreRefused) {
  for (const std::string_view value :
       {"[1, 1.0]", "[1.0, 1]", "[true, 1]", "[1, false]", "[[1, 2], [3, 4.5]]", R"([1, "a"])"})
    EXPECT_THAT(value_refusal(value), HasSubstr("json array, elements type is not equal")) << value;
}

TEST(ClassicJsonTest, RaggedArraysAreRefused) {
  for (const std::string_view value :
       {"[[1, 2], [3]]", "[[1], [2, 3]]", "[[1], 2]", "[[[1]], [2]]"})
    EXPECT_THAT(value_refusal(value), HasSubstr("invalid json array: ")) << value;
}

TEST(ClassicJsonTest, EmptyArraysAreRefused) {
  EXPECT_THAT(value_refusal("[]"), HasSubstr("json array, shape is empty"));
  EXPECT_THAT(value_refusal("[[]]"), HasSubstr("json array, shape is empty"));
}

TEST(ClassicJsonTest, ArraysOfSeveralTextsAreRefused) {
  for (const std::string_view value :
       {R"(["a", "b"])", R"([["a"], ["b"]])", R"([{"b64":"YQ=="}, {"b64":"YQ=="}])"})
    EXPECT_THAT(value_refusal(value), HasSubstr("string or bytes type only support one item"))
        << value;
}

TEST(ClassicJsonTest, NullsAreRefused) {
  value_refusal("null");
  value_refusal("[null]");
  value_refusal("[1, null]");
}

TEST(ClassicJsonTest, IntegersThatAreNoInt32AreRefused) {
  EXPECT_THAT(value_refusal("2147483648"), HasSubstr("int32"));
  EXPECT_THAT(value_refusal("[-2147483649]"), HasSubstr("int32"));
}

TEST(ClassicJsonTest, TooManyDimensionsAreRefused) {
  const std::string deep = std::string(100, '[') + "1" + std::string(100, ']');
  EXPECT_THAT(value_refusal(deep), HasSubstr("100 dimensions"));
  std::string shape = "1";
  for (int i = 0; i < 299; ++i) shape += ",1";
  EXPECT_THAT(value_refusal(R"({"b64":"AA==","type":"int8","shape":[)" + shape + "]}"),
              HasSubstr("300 dimensions"));
}

TEST(ClassicJsonTest, EncodedValuesKnowThreeKeys) {
  EXPECT_THAT(value_refusal(R"({"b64":"YQ==","kind":"int8"})"), HasSubstr("'kind'"));
  EXPECT_THAT(value_refusal(R"({"type":"int8"})"), HasSubstr("b64"));
  EXPECT_THAT(value_refusal("{}"), HasSubstr("b64"));
  EXPECT_THAT(value_refusal(R"({"b64":1})"), HasSubstr("b64"));
  EXPECT_THAT(value_refusal(R"({"b64":"YQ==","type":1})"), HasSubstr("type"));
  EXPECT_THAT(value_refusal(R"({"b64":"YQ==","shape":1})"), HasSubstr("shape"));
}

TEST(ClassicJsonTest, OtherTypesAreIllegal) {
  for (const std::string_view type : {"int", "float", "complex64", "Int8", "", "bfloat16"})
    EXPECT_THAT(value_refusal(R"({"b64":"YQ==","type":")" + std::string(type) + "\"}"),
                HasSubstr("specified type:'" + std::string(type) + "' is illegal"));
}

TEST(ClassicJsonTest, BadBase64IsRefused) {
  for (const std::string_view text : {"a", "YQ=", "Y Q=", "####"})
    EXPECT_THAT(value_refusal(R"({"b64":")" + std::string(text) + "\"}"),
                HasSubstr("is illegal b64 encode string"));
}

TEST(ClassicJsonTest, SizesHaveToMatch) {
  const std::string text = value_refusal(R"({"b64":"AAAAAAAA","type":"int32","shape":[2]})");
  EXPECT_THAT(text, HasSubstr("size is not matched"));
  EXPECT_THAT(text, HasSubstr("6"));
  EXPECT_THAT(text, HasSubstr("2"));
}

TEST(ClassicJsonTest, ShapesHoldLengths) {
  EXPECT_THAT(value_refusal(R"({"b64":"","type":"int8","shape":[-1]})"),
              HasSubstr("unsigned integer"));
  EXPECT_THAT(value_refusal(R"({"b64":"","type":"int8","shape":[1.5]})"),
              HasSubstr("unsigned integer"));
  EXPECT_THAT(value_refusal(R"({"b64":"","type":"int8","shape":["1"]})"),
              HasSubstr("unsigned integer"));
  EXPECT_THAT(value_refusal(R"({"b64":"","type":"int8","shape":[0,1]})"),
              HasSubstr("0 can only be the last dimension"));
}

TEST(ClassicJsonTest, TextHasOneElement) {
  for (const std::string_view type : {"str", "bytes"})
    EXPECT_THAT(
        value_refusal(R"({"b64":"YQ==","type":")" + std::string(type) + R"(","shape":[2]})"),
        HasSubstr("only support scalar"));
  EXPECT_THAT(value_refusal(R"({"b64":"/w==","type":"str"})"), HasSubstr("UTF-8"));
}

TEST(ClassicJsonTest, OneObjectIsOneInstance) {
  EXPECT_EQ(std::get<0>(read_classic_body(R"({"instances":{"x":1,"y":2}})")).size(), 1U);
  EXPECT_EQ(std::get<0>(read_classic_body(R"({"instances":[{"x":1},{"x":2}]})")).size(), 2U);
}

TEST(ClassicJsonTest, NumbersAreScalars) {
  Value value = value_of("-7");
  EXPECT_EQ(value.type, ElementType::Int32);
  EXPECT_EQ(value.dims, Dims{});
  EXPECT_EQ(numbers_of<std::int32_t>(value), std::vector<std::int32_t>{-7});
  value = value_of("1.5");
  EXPECT_EQ(value.type, ElementType::Float32);
  EXPECT_EQ(numbers_of<float>(value), std::vector<float>{1.5});
  EXPECT_EQ(value_of("1e2").type, ElementType::Float32);
  value = value_of("true");
  EXPECT_EQ(value.type, ElementType::Bool);
  EXPECT_EQ(numbers_of<std::uint8_t>(value), std::vector<std::uint8_t>{1});
}

TEST(ClassicJsonTest, TextIsText) {
  const Value value = value_of(R"("gr\u00fcn")");
  EXPECT_EQ(value.type, ElementType::String);
  EXPECT_EQ(value.dims, Dims{});
  EXPECT_EQ(text_of(value), "grün");
}

TEST(ClassicJsonTest, ArraysAreTensors) {
  Value value = value_of("[[1,2,3],[4,5,6]]");
  EXPECT_EQ(value.type, ElementType::Int32);
  EXPECT_EQ(value.dims, (Dims{2, 3}));
  EXPECT_EQ(numbers_of<std::int32_t>(value), (std::vector<std::int32_t>{1, 2, 3, 4, 5, 6}));
  value = value_of("[1.0,2.5]");
  EXPECT_EQ(value.type, ElementType::Float32);
  EXPECT_EQ(numbers_of<float>(value), (std::vector<float>{1, 2.5}));
  EXPECT_EQ(value_of("[true,false]").type, ElementType::Bool);
}

TEST(ClassicJsonTest, OneTextMayStandInOnePairOfBrackets) {
  const Value text = value_of(R"(["a"])");
  EXPECT_EQ(text.type, ElementType::String);
  EXPECT_EQ(text.dims, Dims{1});
  EXPECT_EQ(value_of(R"([{"b64":"YQ=="}])").type, ElementType::Bytes);
  for (const std::string_view value : {R"([["a"]])", R"([[{"b64":"YQ=="}]])"})
    EXPECT_THAT(value_refusal(value), HasSubstr("shape can only be (1,) or empty")) << value;
}

TEST(ClassicJsonTest, EncodedBytesAreBytes) {
  const Value value = value_of(R"({"b64":"/wA="})");
  EXPECT_EQ(value.type, ElementType::Bytes);
  EXPECT_EQ(value.dims, Dims{});
  EXPECT_EQ(text_of(value), std::string("\xff\0", 2));
  EXPECT_EQ(value_of(R"({"b64":"YQ==","type":"str"})").type, ElementType::String);
  EXPECT_EQ(value_of(R"({"b64":"YQ==","type":"bytes","shape":[1]})").dims, Dims{1});
}

TEST(ClassicJsonTest, EveryTypeHasItsSize) {
  const std::pair<std::string_view, std::size_t> kTypes[] = {
      {"int8", 1},   {"int16", 2},  {"int32", 4},   {"int64", 8},   {"uint8", 1},
      {"uint16", 2}, {"uint32", 4}, {"uint64", 8},  {"bool", 1},    {"fp16", 2},
      {"fp32", 4},   {"fp64", 8},   {"float16", 2}, {"float32", 4}, {"float64", 8}};
  for (const auto& [type, size] : kTypes) {
    // Zero bytes: three characters of base64 stand for... four A for three of them.
    std::string text = "AAAA";
    const std::string shape = "[3]";
    std::string zeros;
    for (std::size_t i = 0; i < size; ++i) zeros += text;
    const Value value = value_of(R"({"b64":")" + zeros + R"(","type":")" + std::string(type) +
                                 R"(","shape":)" + shape + "}");
    EXPECT_EQ(value.dims, Dims{3}) << type;
    EXPECT_EQ(size_of(value.type), size) << type;
    EXPECT_TRUE(check(value)) << type;
  }
}

TEST(ClassicJsonTest, LastLengthMayBeZero) {
  const Value value = value_of(R"({"b64":"","type":"int16","shape":[3,0]})");
  EXPECT_EQ(value.dims, (Dims{3, 0}));
  EXPECT_TRUE(value.bytes.empty());
}

template <class Number>
Value tensor(ElementType type, Dims dims, const std::vector<Number>& numbers) {
  return make_value(type, std::move(dims), std::as_bytes(std::span(numbers)));
}

std::string reply_of(Value value) {
  Method method;
  method.outputs = {"y"};
  return classic_reply(method, {Instance{std::move(value)}});
}

TEST(ClassicJsonTest, RepliesAreInTheOrderOfInstances) {
  Method method;
  method.outputs = {"y"};
  const std::vector<Outcome> outcomes = {
      Instance{tensor<std::int32_t>(ElementType::Int32, {}, {1})},
      Failure{FailureCode::Failed, "not \"this\" one"}};
  EXPECT_EQ(classic_reply(method, outcomes),
            R"({"instances":[{"y":1},{"error_msg":"not \"this\" one"}]})");
}

TEST(ClassicJsonTest, ResultsAreJson) {
  EXPECT_EQ(reply_of(tensor<std::int64_t>(ElementType::Int64, {2, 1}, {-1, 1LL << 62})),
            R"({"instances":[{"y":[[-1],[4611686018427387904]]}]})");
  EXPECT_EQ(reply_of(tensor<float>(ElementType::Float32, {2}, {0.1F, 2})),
            R"({"instances":[{"y":[0.1,2.0]}]})");
  EXPECT_EQ(reply_of(tensor<std::uint16_t>(ElementType::Float16, {}, {0x3c00})),
            R"({"instances":[{"y":1.0}]})");
  EXPECT_EQ(reply_of(tensor<std::uint8_t>(ElementType::Bool, {2}, {1, 0})),
            R"({"instances":[{"y":[true,false]}]})");
  const std::string_view text = "a\"b";
  EXPECT_EQ(reply_of(make_text(ElementType::String, {1}, {&text, 1})),
            R"({"instances":[{"y":"a\"b"}]})");
  EXPECT_EQ(reply_of(make_text(ElementType::Bytes, {}, {&text, 1})),
            R"({"instances":[{"y":{"b64":"YSJi"}}]})");
  EXPECT_EQ(reply_of(tensor<float>(ElementType::Float32, {2, 0}, {})),
            R"({"instances":[{"y":[[],[]]}]})");
}

TEST(ClassicJsonTest, ErrorsAreJsonWhateverTheirText) {
  EXPECT_EQ(classic_error("line\nbreak"), R"({"error_msg":"line\nbreak"})");
  EXPECT_EQ(classic_error("bad \xff byte"), "{\"error_msg\":\"bad \xEF\xBF\xBD byte\"}");
}

}  // namespace
}  // namespace mycel::serving
