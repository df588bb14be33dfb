// SPDX-License-Identifier: Apache-2.0
#include "serving/gateway/open_inference.h"

#include <cstring>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "platform/json/json.h"
#include "serving/batching/request.h"

namespace mycel::serving {
namespace {

using testing::HasSubstr;

std::variant<OpenInferenceRequest, std::string> read(std::string_view json,
                                                     std::string_view binary = "") {
  return read_open_inference(std::string(json) + std::string(binary), json.size());
}

std::string refusal_of(std::string_view json, std::string_view binary = "") {
  const auto request = read(json, binary);
  const auto* text = std::get_if<std::string>(&request);
  return text == nullptr ? "" : *text;
}

// What is said to an input with these members.
std::string input_refusal(std::string_view members, std::string_view binary = "") {
  return refusal_of(R"({"inputs":[{"name":"x",)" + std::string(members) + "}]}", binary);
}

Value input_of(std::string_view members, std::string_view binary = "") {
  const auto request = read(R"({"inputs":[{"name":"x",)" + std::string(members) + "}]}", binary);
  if (const auto* text = std::get_if<std::string>(&request)) {
    ADD_FAILURE() << members << ": " << *text;
    return {};
  }
  return std::get<0>(request).inputs.at(0).second;
}

template <class Number>
std::vector<Number> numbers_of(const Value& value) {
  std::vector<Number> numbers(value.bytes.size() / sizeof(Number));
  std::memcpy(numbers.data(), value.bytes.data(), value.bytes.size());
  return numbers;
}

template <class Number>
Value tensor(ElementType type, Dims dims, const std::vector<Number>& numbers) {
  return make_value(type, std::move(dims), std::as_bytes(std::span(numbers)));
}

TEST(OpenInferenceTest, WhatIsNoRequestIsRefused) {
  for (const std::string_view body :
       {"", "[]", "{}", R"({"inputs":{}})", R"({"inputs":[1]})", R"({"inputs":[{"name":1}]})",
        R"({"id":1,"inputs":[]})", R"({"inputs":[],"outputs":{}})"})
    EXPECT_NE(refusal_of(body), "") << body;
}

TEST(OpenInferenceTest, WrongInputsAreRefused) {
  EXPECT_THAT(input_refusal(R"("datatype":"FP128","shape":[1],"data":[1])"),
              HasSubstr("there is no datatype 'FP128'"));
  EXPECT_THAT(input_refusal(R"("datatype":"FP32","shape":[2],"data":[1])"),
              HasSubstr("shape [2] has 2 elements, but 1 are given"));
  EXPECT_THAT(input_refusal(R"("datatype":"FP32","shape":[1],"data":[1,2])"),
              HasSubstr("1 elements, but 2"));
  EXPECT_THAT(input_refusal(R"("datatype":"FP32","shape":[-1],"data":[1])"), HasSubstr("shape"));
  EXPECT_THAT(input_refusal(R"("datatype":"FP32","shape":[1.5],"data":[1])"), HasSubstr("shape"));
  EXPECT_THAT(input_refusal(R"("datatype":"FP32","shape":[4294967296,4294967296],"data":[1])"),
              HasSubstr("too many elements"));
  EXPECT_THAT(input_refusal(R"("datatype":"FP32","shape":[1])"), HasSubstr("has no data"));
  EXPECT_THAT(input_refusal(R"("datatype":"FP32","shape":[1],"data":["1"])"),
              HasSubstr("element 0 is a string, not a number"));
  EXPECT_THAT(input_refusal(R"("datatype":"BYTES","shape":[1],"data":[1])"),
              HasSubstr("is no string"));
  EXPECT_THAT(input_refusal(R"("datatype":"BOOL","shape":[1],"data":[2])"),
              HasSubstr("is no boolean"));
  EXPECT_THAT(input_refusal(R"("datatype":"FP16","shape":[1],"data":[1])"),
              HasSubstr("binary form only"));
  EXPECT_THAT(input_refusal(R"("datatype":"BF16","shape":[1],"data":[1])"),
              HasSubstr("binary form only"));
}

TEST(OpenInferenceTest, NumbersHaveToFitTheirType) {
  const std::pair<std::string_view, std::string_view> kBad[] = {
      {"INT8", "128"},
      {"INT8", "-129"},
      {"UINT8", "-1"},
      {"UINT8", "256"},
      {"INT16", "40000"},
      {"UINT16", "65536"},
      {"INT32", "2147483648"},
      {"UINT32", "-1"},
      {"UINT32", "4294967296"},
      {"UINT64", "-1"},
      {"INT64", "1.5"},
      {"INT64", "9223372036854775808"},
      // Not what it says, once it is a double: refused rather than taken for another number.
      {"UINT64", "9223372036854775809"},
      {"INT32", "NaN"}};
  for (const auto& [type, number] : kBad)
    EXPECT_THAT(input_refusal("\"datatype\":\"" + std::string(type) +
                              "\",\"shape\":[1],\"data\":[" + std::string(number) + "]"),
                HasSubstr("element 0 is no " + std::string(type)))
        << number;
}

TEST(OpenInferenceTest, SameNameTwiceIsRefused) {
  EXPECT_THAT(refusal_of(R"({"inputs":[{"name":"x","datatype":"INT8","shape":[1],"data":[1]},
                                       {"name":"x","datatype":"INT8","shape":[1],"data":[1]}]})"),
              HasSubstr("'x' is given twice"));
  EXPECT_THAT(refusal_of(R"({"inputs":[],"outputs":[{"name":"y"},{"name":"y"}]})"),
              HasSubstr("'y' is asked for twice"));
}

// Names are compared with each other: many of them would take for ever.
TEST(OpenInferenceTest, MoreNamesThanAModelHasAreRefused) {
  std::string inputs, outputs;
  for (int i = 0; i < 2000; ++i) {
    inputs += (i == 0 ? "" : ",") + std::string(R"({"name":")") + std::to_string(i) +
              R"(","datatype":"INT8","shape":[1],"data":[1]})";
    outputs += (i == 0 ? "" : ",") + std::string(R"({"name":")") + std::to_string(i) + R"("})";
  }
  EXPECT_THAT(refusal_of(R"({"inputs":[)" + inputs + "]}"), HasSubstr("more than"));
  EXPECT_THAT(refusal_of(R"({"inputs":[],"outputs":[)" + outputs + "]}"), HasSubstr("more than"));
}

TEST(OpenInferenceTest, BinaryPartsHaveToAddUp) {
  constexpr std::string_view kFour =
      R"("datatype":"INT32","shape":[1],"parameters":{"binary_data_size":4})";
  EXPECT_THAT(input_refusal(kFour, "abc"), HasSubstr("4 bytes of binary data are told, but 3"));
  EXPECT_THAT(input_refusal(kFour, "abcde"),
              HasSubstr("1 bytes of binary data belong to no input"));
  EXPECT_THAT(input_refusal(R"("datatype":"INT32","shape":[2],"parameters":{"binary_data_size":4})",
                            "abcd"),
              HasSubstr("needs 8 bytes, but 4"));
  EXPECT_THAT(
      input_refusal(
          R"("datatype":"INT32","shape":[1],"data":[1],"parameters":{"binary_data_size":4})",
          "abcd"),
      HasSubstr("data and binary_data_size"));
  EXPECT_NE(input_refusal(R"("datatype":"INT32","shape":[1],"parameters":{"binary_data_size":-4})"),
            "");
  EXPECT_THAT(std::get<1>(read_open_inference("{}", 3)),
              HasSubstr("Inference-Header-Content-Length is 3, but the body has 2 bytes"));
}

TEST(OpenInferenceTest, BinaryTextHasToFitItsLengths) {
  constexpr std::string_view kTwo =
      R"("datatype":"BYTES","shape":[2],"parameters":{"binary_data_size":10})";
  using std::string_view_literals::operator""sv;
  EXPECT_NE(input_refusal(kTwo, "\x06\0\0\0abcdef"sv), "");  // one element
  EXPECT_NE(input_refusal(kTwo, "\x01\0\0\0a\xff\0\0\0b"sv), "");
  EXPECT_EQ(input_refusal(kTwo, "\x01\0\0\0a\x01\0\0\0b"sv), "");
}

TEST(OpenInferenceTest, DataIsFlatOrNested) {
  for (const std::string_view data : {"[1,2,3,4]", "[[1,2],[3,4]]"}) {
    const Value value = input_of(R"("datatype":"INT64","shape":[2,2],"data":)" + std::string(data));
    EXPECT_EQ(value.dims, (Dims{2, 2}));
    EXPECT_EQ(numbers_of<std::int64_t>(value), (std::vector<std::int64_t>{1, 2, 3, 4}));
  }
}

TEST(OpenInferenceTest, EveryTypeIsRead) {
  EXPECT_EQ(
      numbers_of<std::uint8_t>(input_of(R"("datatype":"BOOL","shape":[3],"data":[true,false,1])")),
      (std::vector<std::uint8_t>{1, 0, 1}));
  EXPECT_EQ(numbers_of<std::int8_t>(input_of(R"("datatype":"INT8","shape":[2],"data":[-128,127])")),
            (std::vector<std::int8_t>{-128, 127}));
  EXPECT_EQ(numbers_of<std::uint64_t>(
                input_of(R"("datatype":"UINT64","shape":[1],"data":[9223372036854775807])")),
            (std::vector<std::uint64_t>{9223372036854775807ULL}));
  EXPECT_EQ(numbers_of<std::int32_t>(input_of(R"("datatype":"INT32","shape":[1],"data":[3.0])")),
            (std::vector<std::int32_t>{3}));
  EXPECT_EQ(numbers_of<double>(input_of(R"("datatype":"FP64","shape":[],"data":[0.1])")),
            (std::vector<double>{0.1}));
  EXPECT_EQ(
      text_elements(input_of(R"("datatype":"BYTES","shape":[2],"data":["a","\u00e9"])")).value(),
      (std::vector<std::string_view>{"a", "é"}));
  EXPECT_EQ(
      input_of(R"("datatype":"FP16","shape":[2],"parameters":{"binary_data_size":4})", "abcd").type,
      ElementType::Float16);
}

TEST(OpenInferenceTest, BinaryInputsAreInOrder) {
  const auto request = std::get<0>(read(
      R"({"id":"7","parameters":{"binary_data_output":true},"inputs":[
          {"name":"a","datatype":"INT8","shape":[2],"parameters":{"binary_data_size":2}},
          {"name":"b","datatype":"INT8","shape":[1],"data":[9]},
          {"name":"c","datatype":"INT8","shape":[1],"parameters":{"binary_data_size":1}}],
          "outputs":[{"name":"y"},{"name":"z","parameters":{"binary_data":false}}]})",
      "\x01\x02\x03"));
  EXPECT_EQ(request.id, "7");
  EXPECT_EQ(numbers_of<std::int8_t>(request.inputs[0].second), (std::vector<std::int8_t>{1, 2}));
  EXPECT_EQ(numbers_of<std::int8_t>(request.inputs[1].second), (std::vector<std::int8_t>{9}));
  EXPECT_EQ(numbers_of<std::int8_t>(request.inputs[2].second), (std::vector<std::int8_t>{3}));
  ASSERT_EQ(request.outputs.size(), 2U);
  EXPECT_TRUE(request.outputs[0].is_binary);
  EXPECT_FALSE(request.outputs[1].is_binary);
}

// ---- instances

class OpenInferenceRowsTest : public testing::Test {
 protected:
  OpenInferenceRowsTest() {
    servable_.models.push_back({.files = {"m"}});
    Stage stage;
    stage.inputs = {{0, 0}, {0, 1}};
    servable_.methods.push_back({"sum", {"a", "b"}, {"y"}, {stage}, {{1, 0}}});
  }
  const Method& method() const { return servable_.methods[0]; }
  std::string refusal(const NamedTensors& inputs) const {
    const auto instances = to_instances(servable_, method(), inputs);
    const auto* failure = std::get_if<Failure>(&instances);
    return failure == nullptr ? "" : failure->text;
  }
  Servable servable_;
};

TEST_F(OpenInferenceRowsTest, NamesHaveToBeThoseOfTheModel) {
  const Value two = tensor<float>(ElementType::Float32, {2}, {1, 2});
  EXPECT_THAT(refusal({{"a", two}}), HasSubstr("input 'b' is missing"));
  EXPECT_THAT(refusal({{"a", two}, {"b", two}, {"c", two}}), HasSubstr("no input 'c'"));
}

TEST_F(OpenInferenceRowsTest, BatchesHaveToAgree) {
  const Value two = tensor<float>(ElementType::Float32, {2}, {1, 2});
  const Value one = tensor<float>(ElementType::Float32, {1}, {1});
  EXPECT_THAT(refusal({{"a", two}, {"b", one}}), HasSubstr("has a batch of 1, input 'a' of 2"));
  EXPECT_THAT(refusal({{"a", tensor<float>(ElementType::Float32, {}, {1})}, {"b", one}}),
              HasSubstr("first dimension is the batch"));
  EXPECT_THAT(refusal({{"a", tensor<float>(ElementType::Float32, {0, 3}, {})},
                       {"b", tensor<float>(ElementType::Float32, {0}, {})}}),
              HasSubstr("the batch is empty"));
}

// No bytes at all, and yet a thousand million rows.
TEST_F(OpenInferenceRowsTest, MoreRowsThanMayBeAreRefused) {
  const Value huge = tensor<float>(ElementType::Float32, {1'000'000'000, 0}, {});
  EXPECT_THAT(refusal({{"a", huge}, {"b", huge}}), HasSubstr("at most"));
}

TEST_F(OpenInferenceRowsTest, RowsAreInstancesAndComeBackAsOneTensor) {
  const Value a = tensor<float>(ElementType::Float32, {2, 2}, {1, 2, 3, 4});
  const std::string_view parts[] = {"x", "", "long", "y"};
  const Value b = make_text(ElementType::Bytes, {2, 2}, parts);
  const auto instances = std::get<0>(to_instances(servable_, method(), {{"b", b}, {"a", a}}));
  ASSERT_EQ(instances.size(), 2U);
  EXPECT_EQ(instances[1][0].dims, Dims{2});
  EXPECT_EQ(numbers_of<float>(instances[1][0]), (std::vector<float>{3, 4}));
  EXPECT_EQ(text_elements(instances[1][1]).value(), (std::vector<std::string_view>{"long", "y"}));
  for (const std::size_t k : {0U, 1U}) {
    const auto whole = std::get<0>(
        to_tensors(servable_, method(), {Instance{instances[0][k]}, Instance{instances[1][k]}}));
    EXPECT_EQ(whole[0].dims, (Dims{2, 2}));
    EXPECT_TRUE(std::ranges::equal(whole[0].bytes, (k == 0 ? a : b).bytes));
    EXPECT_EQ(whole[0].bytes.data(), (k == 0 ? a : b).bytes.data());  // without a copy
  }
}

TEST_F(OpenInferenceRowsTest, RowsThatLieApartAreCopied) {
  const auto whole =
      std::get<0>(to_tensors(servable_, method(),
                             {Instance{tensor<float>(ElementType::Float32, {1}, {1})},
                              Instance{tensor<float>(ElementType::Float32, {1}, {2})}}));
  EXPECT_EQ(numbers_of<float>(whole[0]), (std::vector<float>{1, 2}));
}

TEST_F(OpenInferenceRowsTest, RowsOfDifferentShapesFail) {
  const auto tensors = to_tensors(servable_, method(),
                                  {Instance{tensor<float>(ElementType::Float32, {1}, {1})},
                                   Instance{tensor<float>(ElementType::Float32, {2}, {1, 2})}});
  EXPECT_THAT(std::get<Failure>(tensors).text, HasSubstr("differs in shape"));
}

TEST_F(OpenInferenceRowsTest, WithoutABatchARequestIsOneInstance) {
  servable_.models[0].has_batch = false;
  const Value a = tensor<float>(ElementType::Float32, {2, 2}, {1, 2, 3, 4});
  const auto instances = std::get<0>(to_instances(servable_, method(), {{"a", a}, {"b", a}}));
  ASSERT_EQ(instances.size(), 1U);
  EXPECT_EQ(instances[0][0].dims, (Dims{2, 2}));
}

TEST_F(OpenInferenceRowsTest, MetadataHasAnyNumberOfRows) {
  ModelSignature signature;
  signature.inputs = {{"p", ElementType::Float32, {8, 3}}, {"q", ElementType::Int64, {8}}};
  signature.outputs = {{"r", ElementType::Float16, {8, 1}}};
  const ModelDescription metadata = describe(servable_, {{signature}}, method());
  EXPECT_EQ(metadata.inputs[0].name, "a");
  EXPECT_EQ(metadata.inputs[0].datatype, "FP32");
  EXPECT_EQ(metadata.inputs[0].dims, (Dims{-1, 3}));
  EXPECT_EQ(metadata.inputs[1].dims, (Dims{-1}));
  EXPECT_EQ(metadata.outputs[0].datatype, "FP16");
  const std::string text = write_metadata(metadata);
  EXPECT_THAT(text, HasSubstr(R"("inputs":[{"name":"a","datatype":"FP32","shape":[-1,3]})"));
  EXPECT_NO_THROW(platform::parse_json(text, "metadata"));
}

// ---- replies

TEST(OpenInferenceTest, RepliesAreJson) {
  Method method;
  method.outputs = {"y", "z"};
  OpenInferenceRequest request;
  request.id = "a\"b";
  const std::string_view parts[] = {"p", "q"};
  const Instance outputs = {tensor<std::int32_t>(ElementType::Int32, {2, 1}, {1, 2}),
                            make_text(ElementType::String, {2}, parts)};
  const OpenInferenceReply reply = write_open_inference(request, "m", 3, method, outputs);
  EXPECT_EQ(reply.json_bytes, std::nullopt);
  EXPECT_EQ(reply.body, R"({"model_name":"m","model_version":"3","id":"a\"b","outputs":[)"
                        R"({"name":"y","datatype":"INT32","shape":[2,1],"data":[1,2]},)"
                        R"({"name":"z","datatype":"BYTES","shape":[2],"data":["p","q"]}]})");
}

TEST(OpenInferenceTest, BinaryOutputsFollowTheJson) {
  Method method;
  method.outputs = {"y", "z"};
  OpenInferenceRequest request;
  request.outputs = {{"z", true}, {"y", false}};
  const Instance outputs = {tensor<std::int8_t>(ElementType::Int8, {1}, {7}),
                            tensor<std::int8_t>(ElementType::Int8, {2}, {'a', 'b'})};
  const OpenInferenceReply reply = write_open_inference(request, "m", 1, method, outputs);
  ASSERT_TRUE(reply.json_bytes.has_value());
  EXPECT_EQ(reply.body.substr(*reply.json_bytes), "ab");
  EXPECT_THAT(reply.body, HasSubstr(R"("parameters":{"binary_data_size":2})"));
  EXPECT_NO_THROW(platform::parse_json(reply.body.substr(0, *reply.json_bytes), "reply"));
}

TEST(OpenInferenceTest, WhatJsonCannotSayIsBinary) {
  Method method;
  method.outputs = {"y"};
  const OpenInferenceRequest request;
  const std::string_view bad = "\xff";
  EXPECT_TRUE(
      write_open_inference(request, "m", 1, method, {make_text(ElementType::Bytes, {1}, {&bad, 1})})
          .json_bytes.has_value());
  EXPECT_TRUE(write_open_inference(request, "m", 1, method,
                                   {tensor<std::uint16_t>(ElementType::Float16, {1}, {1})})
                  .json_bytes.has_value());
}

TEST(OpenInferenceTest, TypesHaveTheirNames) {
  for (const ElementType type :
       {ElementType::Bool, ElementType::Int8, ElementType::Int16, ElementType::Int32,
        ElementType::Int64, ElementType::UInt8, ElementType::UInt16, ElementType::UInt32,
        ElementType::UInt64, ElementType::Float16, ElementType::Float32, ElementType::Float64,
        ElementType::BFloat16, ElementType::Bytes})
    EXPECT_EQ(open_inference_type(open_inference_name(type)), type);
  EXPECT_EQ(open_inference_name(ElementType::String), "BYTES");
  EXPECT_EQ(open_inference_type("fp32"), std::nullopt);
}

}  // namespace
}  // namespace mycel::serving
