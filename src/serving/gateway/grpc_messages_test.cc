// SPDX-License-Identifier: Apache-2.0
#include "serving/gateway/grpc_messages.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "serving/batching/request.h"

namespace mycel::serving {
namespace {

using testing::HasSubstr;

// A request of one instance with one input, as a test wants it.
std::shared_ptr<ms::PredictRequest> request_of(const std::function<void(ms::Tensor&)>& fill) {
  auto request = std::make_shared<ms::PredictRequest>();
  fill((*request->add_instances()->mutable_items())["x"]);
  return request;
}

std::string refusal_of(const std::function<void(ms::Tensor&)>& fill) {
  const auto read = read_instances(request_of(fill));
  const auto* failure = std::get_if<Failure>(&read);
  return failure == nullptr ? "" : failure->text;
}

void float_pair(ms::Tensor& tensor) {
  tensor.set_dtype(ms::MS_FLOAT32);
  tensor.mutable_shape()->add_dims(2);
  tensor.set_data(std::string(8, 'x'));
}

TEST(GrpcMessagesTest, NoInstancesAreRefused) {
  const auto read = read_instances(std::make_shared<ms::PredictRequest>());
  EXPECT_EQ(std::get<Failure>(read).text, "Instances count of request cannot be 0");
  EXPECT_EQ(std::get<Failure>(read).code, FailureCode::InvalidInputs);
}

TEST(GrpcMessagesTest, TooManyInstancesAreRefused) {
  auto request = std::make_shared<ms::PredictRequest>();
  for (std::size_t i = 0; i <= kMostRequestInstances; ++i) request->add_instances();
  EXPECT_THAT(std::get<Failure>(read_instances(request)).text, HasSubstr("at most"));
}

TEST(GrpcMessagesTest, WrongTensorsAreRefused) {
  EXPECT_THAT(refusal_of([](ms::Tensor&) {}), HasSubstr("there is no data type 0"));
  EXPECT_THAT(
      refusal_of([](ms::Tensor& tensor) { tensor.set_dtype(static_cast<ms::DataType>(99)); }),
      HasSubstr("there is no data type 99"));
  EXPECT_THAT(refusal_of([](ms::Tensor& tensor) {
                float_pair(tensor);
                tensor.set_data("1234567");
              }),
              HasSubstr("needs 8 bytes, but 7"));
  EXPECT_NE(refusal_of([](ms::Tensor& tensor) {
              float_pair(tensor);
              tensor.mutable_shape()->set_dims(0, -2);
            }),
            "");
  EXPECT_THAT(refusal_of([](ms::Tensor& tensor) {
                float_pair(tensor);
                for (int i = 0; i < 300; ++i) tensor.mutable_shape()->add_dims(1);
              }),
              HasSubstr("301 dimensions"));
  EXPECT_THAT(refusal_of([](ms::Tensor& tensor) {
                tensor.set_dtype(ms::MS_INT8);
                tensor.mutable_shm_data()->set_bytes_size(1);
              }),
              HasSubstr("shared memory"));
}

TEST(GrpcMessagesTest, TextIsOneItem) {
  EXPECT_THAT(refusal_of([](ms::Tensor& tensor) { tensor.set_dtype(ms::MS_STRING); }),
              HasSubstr("has 0 values"));
  EXPECT_THAT(refusal_of([](ms::Tensor& tensor) {
                tensor.set_dtype(ms::MS_BYTES);
                tensor.mutable_shape()->add_dims(2);
                tensor.add_bytes_val("a");
              }),
              HasSubstr("shape can only be (1,) or empty"));
}

// Tensors are where the message has them, which lives as long as they do.
TEST(GrpcMessagesTest, TensorsReferToTheMessage) {
  auto request = request_of(float_pair);
  const auto* where = request->instances(0).items().at("x").data().data();
  auto all = std::get<0>(read_instances(request));
  request.reset();
  const Value& value = all[0][0].second;
  EXPECT_EQ(static_cast<const void*>(value.bytes.data()), static_cast<const void*>(where));
  EXPECT_EQ(value.dims, Dims{2});
  EXPECT_EQ(value.bytes[7], std::byte{'x'});
}

TEST(GrpcMessagesTest, EqualFailuresAreOne) {
  Method method;
  method.outputs = {"y"};
  ms::PredictReply reply;
  write_outcomes(method, {Failure{FailureCode::Failed, "no"}, Failure{FailureCode::Failed, "no"}},
                 reply);
  EXPECT_EQ(reply.error_msg_size(), 1);
  EXPECT_EQ(reply.instances_size(), 0);
  EXPECT_EQ(reply.error_msg(0).error_msg(), "no");
}

TEST(GrpcMessagesTest, OneFailureAmongResultsHasItsPlace) {
  Method method;
  method.outputs = {"y"};
  const std::uint8_t one = 1;
  ms::PredictReply reply;
  write_outcomes(method,
                 {Instance{make_value(ElementType::Bool, {}, std::as_bytes(std::span(&one, 1)))},
                  Failure{FailureCode::QueueFull, "full"}},
                 reply);
  ASSERT_EQ(reply.error_msg_size(), 2);
  ASSERT_EQ(reply.instances_size(), 2);
  EXPECT_EQ(reply.error_msg(0).error_code(), 0);
  EXPECT_EQ(reply.error_msg(1).error_code(), 1);  // ours alone: a plain failure to the protocol
  EXPECT_EQ(reply.instances(0).items().at("y").dtype(), ms::MS_BOOL);
}

// ---- Open Inference Protocol

using Input = inference::ModelInferRequest::InferInputTensor;

std::shared_ptr<inference::ModelInferRequest> inference_of(
    const std::function<void(inference::ModelInferRequest&, Input&)>& fill) {
  auto request = std::make_shared<inference::ModelInferRequest>();
  Input& input = *request->add_inputs();
  input.set_name("x");
  input.set_datatype("INT32");
  input.add_shape(2);
  fill(*request, input);
  return request;
}

std::string inference_refusal(
    const std::function<void(inference::ModelInferRequest&, Input&)>& fill) {
  const auto read = read_tensors(inference_of(fill));
  const auto* failure = std::get_if<Failure>(&read);
  return failure == nullptr ? "" : failure->text;
}

TEST(GrpcMessagesTest, RawAndTypedContentsDoNotMix) {
  EXPECT_THAT(inference_refusal([](inference::ModelInferRequest& request, Input& input) {
                input.mutable_contents()->add_int_contents(1);
                request.add_raw_input_contents(std::string(8, 'x'));
              }),
              HasSubstr("has contents although the request has raw_input_contents"));
  EXPECT_THAT(inference_refusal([](inference::ModelInferRequest& request, Input&) {
                request.add_raw_input_contents(std::string(8, 'x'));
                request.add_raw_input_contents(std::string(8, 'x'));
              }),
              HasSubstr("2 raw_input_contents for 1 inputs"));
}

TEST(GrpcMessagesTest, ContentsHaveToFit) {
  EXPECT_NE(inference_refusal([](inference::ModelInferRequest&, Input& input) {
              input.mutable_contents()->add_int_contents(1);
            }),
            "");
  EXPECT_NE(inference_refusal([](inference::ModelInferRequest&, Input& input) {
              input.mutable_contents()->add_fp32_contents(1);
              input.mutable_contents()->add_fp32_contents(2);
            }),
            "");
  EXPECT_NE(inference_refusal([](inference::ModelInferRequest& request, Input&) {
              request.add_raw_input_contents("1234567");
            }),
            "");
  EXPECT_THAT(inference_refusal(
                  [](inference::ModelInferRequest&, Input& input) { input.set_datatype("FP16"); }),
              HasSubstr("raw form only"));
  EXPECT_THAT(inference_refusal([](inference::ModelInferRequest&, Input& input) {
                input.set_datatype("INT128");
              }),
              HasSubstr("there is no datatype 'INT128'"));
  EXPECT_THAT(inference_refusal([](inference::ModelInferRequest& request, Input& input) {
                input.mutable_contents()->add_int_contents(1);
                input.mutable_contents()->add_int_contents(2);
                const Input again = input;
                *request.add_inputs() = again;
              }),
              HasSubstr("'x' is given twice"));
}

// A number that does not fit its type would come out as another.
TEST(GrpcMessagesTest, NarrowNumbersHaveToFit) {
  const auto narrow = [](std::string_view type, auto add) {
    return inference_refusal([&](inference::ModelInferRequest&, Input& input) {
      input.set_datatype(std::string(type));
      input.set_shape(0, 1);
      add(*input.mutable_contents());
    });
  };
  EXPECT_THAT(narrow("INT8", [](auto& contents) { contents.add_int_contents(128); }),
              HasSubstr("128 is no INT8"));
  EXPECT_THAT(narrow("INT16", [](auto& contents) { contents.add_int_contents(-32769); }),
              HasSubstr("-32769 is no INT16"));
  EXPECT_THAT(narrow("UINT8", [](auto& contents) { contents.add_uint_contents(256); }),
              HasSubstr("256 is no UINT8"));
  EXPECT_EQ(narrow("UINT16", [](auto& contents) { contents.add_uint_contents(65535); }), "");
}

TEST(GrpcMessagesTest, TypedContentsAreRead) {
  const auto tensors =
      std::get<0>(read_tensors(inference_of([](inference::ModelInferRequest&, Input& input) {
        input.mutable_contents()->add_int_contents(1);
        input.mutable_contents()->add_int_contents(-1);
      })));
  EXPECT_EQ(tensors[0].second.type, ElementType::Int32);
  EXPECT_EQ(tensors[0].second.bytes[4], std::byte{0xff});
}

TEST(GrpcMessagesTest, ResultsAreRaw) {
  Method method;
  method.outputs = {"y"};
  const std::string_view part = "ab";
  inference::ModelInferResponse reply;
  write_tensors(method, {make_text(ElementType::String, {1}, {&part, 1})}, {0}, reply);
  EXPECT_EQ(reply.outputs(0).datatype(), "BYTES");
  EXPECT_EQ(reply.raw_output_contents(0), std::string("\x02\0\0\0ab", 6));
}

}  // namespace
}  // namespace mycel::serving
