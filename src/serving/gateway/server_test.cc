// SPDX-License-Identifier: Apache-2.0
// A whole server with worker processes, ports and all.
#include "serving/gateway/server.h"

#include <atomic>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <future>
#include <string>
#include <thread>
#include <vector>

#include <boost/asio/buffer.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/write.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <ms_service.pb.h>
#include <open_inference.pb.h>
#include <unistd.h>

#include "platform/error/error.h"
#include "platform/json/json.h"
#include "serving/client/socket_grpc_client.h"
#include "serving/gateway/grpc_call.h"
#include "serving/worker/fake_worker.h"

namespace mycel::serving {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;
using platform::Json;
using testing::HasSubstr;
using std::chrono_literals::operator""ms;
using std::chrono_literals::operator""s;
using std::chrono_literals::operator""us;

// Nobody listens there a moment later.
std::string free_address() {
  asio::io_context context;
  tcp::acceptor acceptor(context, {asio::ip::make_address("127.0.0.1"), 0});
  return "127.0.0.1:" + std::to_string(acceptor.local_endpoint().port());
}

// Processes whose parent we are and that have not been waited for.
std::vector<pid_t> children() {
  std::vector<pid_t> all;
  for (const auto& task : std::filesystem::directory_iterator("/proc/self/task")) {
    std::ifstream file(task.path() / "children");
    for (pid_t id = 0; file >> id;) all.push_back(id);
  }
  return all;
}

class ServerTest : public testing::Test {
 protected:
  ServerTest() { mkdtemp(folder_.data()); }
  ~ServerTest() override { std::filesystem::remove_all(folder_); }

  VersionOptions version(const std::string& name, std::size_t workers = 1) const {
    VersionOptions options;
    options.description = fake_servable(name);
    options.folder = folder_;
    options.model_workers = {fake_worker(), workers,
                             std::vector<std::string>(workers, "/dev/null")};
    return options;
  }

  void start_rest() {
    ListenOptions options;
    options.address = rest_ = free_address();
    server_.start_rest(options);
  }

  void start_grpc() {
    ListenOptions options;
    options.address = grpc_ = "unix:" + folder_ + "/grpc";
    server_.start_grpc(options);
  }

  std::string failure_of_load(VersionOptions options) {
    try {
      server_.load(std::move(options));
    } catch (const platform::Error& error) {
      return error.message();
    }
    return "";
  }

  // Status line and body of an answer; empty when there is none.
  static std::pair<int, std::string> http(const std::string& address, const std::string& verb,
                                          const std::string& target, const std::string& body = "") {
    asio::io_context context;
    tcp::socket socket(context);
    error_code error;
    const std::size_t colon = address.find(':');
    socket.connect({asio::ip::make_address(address.substr(0, colon)),
                    static_cast<std::uint16_t>(std::stoi(address.substr(colon + 1)))},
                   error);
    if (error) return {};
    const std::string request = verb + " " + target + " HTTP/1.1\r\nConnection: close\r\n" +
                                "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" +
                                body;
    asio::write(socket, asio::buffer(request), error);
    std::string text;
    char part[4096];
    while (!error) {
      const std::size_t size = socket.read_some(asio::buffer(part), error);
      text.append(part, size);
    }
    const std::size_t head = text.find("\r\n\r\n");
    if (head == text.npos) return {};
    return {std::stoi(text.substr(9, 3)), text.substr(head + 4)};
  }

  std::pair<int, std::string> sum(const std::string& name, const std::string& body = kOne) const {
    return http(rest_, "POST", "/model/" + name + ":sum", body);
  }

  Json status() const {
    return platform::parse_json(http(rest_, "GET", "/status").second, "status");
  }
  // Kills a worker, as soon as it is there.
  void kill_worker(std::size_t i) const {
    std::int64_t process = 0;
    while (process == 0) {
      const Json all = status();
      process = all.at("versions").array()[0].at("workers").array()[i].at("process").integer();
    }
    kill(static_cast<pid_t>(process), SIGKILL);
  }

  static constexpr const char* kOne = R"({"instances":[{"a":[1.0,2.0],"b":[3.0,4.0]}]})";
  static constexpr const char* kSum = R"({"instances":[{"y":[4.0,6.0]}]})";

  std::string folder_ = (std::filesystem::temp_directory_path() / "server_test_XXXXXX").string();
  std::string rest_, grpc_;
  Server server_;
};

// ---- starts that fail

TEST_F(ServerTest, ReasonOfAFailedStartIsTold) {
  EXPECT_THAT(failure_of_load(version("refuses", 2)),
              HasSubstr("Fail to start workers: Load model failed, because it wants so"));
  EXPECT_TRUE(children().empty());
}

TEST_F(ServerTest, DeathDuringTheStartIsTold) {
  EXPECT_THAT(failure_of_load(version("dies", 3)),
              HasSubstr("Fail to start workers because of death of one worker"));
  EXPECT_TRUE(children().empty());
}

TEST_F(ServerTest, MissingProgramIsTold) {
  VersionOptions options = version("add");
  options.model_workers.words = {"/nowhere/serving_worker"};
  EXPECT_THAT(failure_of_load(options), HasSubstr("/nowhere/serving_worker"));
  EXPECT_TRUE(children().empty());
}

TEST_F(ServerTest, DescriptionThatIsNoneIsTold) {
  VersionOptions options = version("add");
  options.description = "{}";
  EXPECT_THAT(failure_of_load(options), HasSubstr("'name'"));
}

TEST_F(ServerTest, AFailedStartLeavesItsPlaceFree) {
  EXPECT_NE(failure_of_load(version("refuses")), "");
  EXPECT_NE(failure_of_load(version("refuses")), "");
  EXPECT_EQ(failure_of_load(version("add")), "");
  EXPECT_THAT(failure_of_load(version("add")), HasSubstr("is loaded already"));
}

TEST_F(ServerTest, AddressesThatAreTakenAreTold) {
  start_rest();
  Server other;
  ListenOptions options;
  options.address = rest_;
  try {
    other.start_rest(options);
    FAIL() << "it listens";
  } catch (const platform::Error& error) {
    EXPECT_THAT(error.message(), HasSubstr("RESTful server start failed"));
  }
  try {
    server_.start_rest(options);
    FAIL() << "it listens twice";
  } catch (const platform::Error& error) {
    EXPECT_THAT(error.message(), HasSubstr("is already running"));
  }
}

// ---- requests

TEST_F(ServerTest, RequestsThatCannotBeServedAreRefused) {
  server_.load(version("add"));
  start_rest();
  const auto text = [&](const std::string& target, const std::string& body = kOne) {
    const auto [status, reply] = http(rest_, "POST", target, body);
    EXPECT_EQ(status, 200) << target;
    return reply;
  };
  EXPECT_THAT(text("/model/other:sum"),
              HasSubstr("Request Servable(other), servable is not available"));
  EXPECT_THAT(text("/model/add/version/2:sum"), HasSubstr("servable is not available"));
  EXPECT_THAT(text("/model/add:other"),
              HasSubstr("Request Servable(add) method(other), method is not available"));
  EXPECT_THAT(text("/model/add:sum", R"({"instances":[{"a":[1.0,2.0]}]})"),
              HasSubstr("Cannot find input b in instance input, servable add, method sum"));
  EXPECT_THAT(text("/model/add:sum", R"({"instances":[]})"),
              HasSubstr("Instances count of request cannot be 0"));
  EXPECT_THAT(http(rest_, "GET", "/model/add:sum").second,
              HasSubstr("http message only support POST right now"));
  EXPECT_THAT(http(rest_, "POST", "/model/\xff:sum", kOne).second, HasSubstr("\xEF\xBF\xBD"));
}

TEST_F(ServerTest, OneBadInstanceFailsAlone) {
  server_.load(version("add"));
  start_rest();
  const std::string reply =
      sum("add", R"({"instances":[{"a":[1.0,2.0],"b":[3.0,4.0]},{"a":[1,2],"b":[3.0,4.0]},
                                  {"a":[5.0,6.0],"b":[1.0,1.0]}]})")
          .second;
  EXPECT_THAT(reply, HasSubstr(R"([{"y":[4.0,6.0]},{"error_msg":"Given model input 0 data type)"));
  EXPECT_THAT(reply, HasSubstr(R"({"y":[6.0,7.0]}]})"));
}

TEST_F(ServerTest, BothProtocolsAnswer) {
  server_.load(version("add"));
  start_rest();
  EXPECT_EQ(sum("add").second, kSum);
  EXPECT_EQ(http(rest_, "GET", "/v2/health/ready").first, 200);
  EXPECT_EQ(http(rest_, "GET", "/v2/models/other").first, 404);
  EXPECT_THAT(http(rest_, "GET", "/v2/models/add").second, HasSubstr("\"shape\":[-1,2]"));
  const auto [status, reply] =
      http(rest_, "POST", "/v2/models/add/infer",
           R"({"inputs":[{"name":"a","datatype":"FP32","shape":[3,2],"data":[1,2,3,4,5,6]},
                    {"name":"b","datatype":"FP32","shape":[3,2],"data":[1,1,1,1,1,1]}]})");
  EXPECT_EQ(status, 200);
  EXPECT_THAT(reply, HasSubstr(R"("shape":[3,2],"data":[2.0,3.0,4.0,5.0,6.0,7.0])"));
  EXPECT_THAT(
      http(rest_, "GET", "/metrics").second,
      HasSubstr("mycel_serving_requests_total{servable=\"add\",version=\"1\",method=\"sum\"} 2"));
}

// Large JSON is read and written elsewhere; small requests pass it by.
TEST_F(ServerTest, LargeBodiesAreAnswered) {
  server_.load(version("add", 2));
  start_rest();
  std::string body = R"({"instances":[{"a":[1.0,2.0],"b":[3.0,4.0]})";
  for (int i = 1; i < 20'000; ++i) body += R"(,{"a":[1.0,2.0],"b":[3.0,4.0]})";
  const std::string reply = sum("add", body + "]}").second;
  EXPECT_EQ(platform::parse_json(reply, "reply").at("instances").array().size(), 20'000U);
  std::string tensor = "[1,1";
  for (int i = 1; i < 20'000; ++i) tensor += ",1,1";
  const std::string input = R"("datatype":"FP32","shape":[20000,2],"data":)" + tensor + "]}";
  const auto [status, own] =
      http(rest_, "POST", "/v2/models/add/infer",
           R"({"inputs":[{"name":"a",)" + input + R"(,{"name":"b",)" + input + "]}");
  EXPECT_EQ(status, 200);
  EXPECT_THAT(own, HasSubstr("\"shape\":[20000,2]"));
}

// What the two protocols of gRPC ask for a servable that adds.
std::string predict_request(const std::string& servable) {
  ::mindspore::serving::proto::PredictRequest request;
  request.mutable_servable_spec()->set_name(servable);
  request.mutable_servable_spec()->set_method_name("sum");
  auto& items = *request.add_instances()->mutable_items();
  const float numbers[] = {1, 2};
  for (const char* name : {"a", "b"}) {
    auto& tensor = items[name];
    tensor.set_dtype(::mindspore::serving::proto::MS_FLOAT32);
    tensor.mutable_shape()->add_dims(2);
    tensor.set_data(numbers, sizeof numbers);
  }
  return request.SerializeAsString();
}

std::string infer_request(const std::string& model) {
  inference::ModelInferRequest request;
  request.set_model_name(model);
  const float numbers[] = {1, 2};
  for (const char* name : {"a", "b"}) {
    auto& input = *request.add_inputs();
    input.set_name(name);
    input.set_datatype("FP32");
    input.add_shape(1);
    input.add_shape(2);
    request.add_raw_input_contents(numbers, sizeof numbers);
  }
  return request.SerializeAsString();
}

constexpr const char* kPredict = "/mindspore.serving.proto.MSService/Predict";
constexpr const char* kInfer = "/inference.GRPCInferenceService/ModelInfer";

TEST_F(ServerTest, GrpcAnswers) {
  server_.load(version("add"));
  start_grpc();
  SocketGrpcClient client(grpc_);
  const GrpcReply answer = client.ask(kPredict, predict_request("add"));
  ASSERT_EQ(answer.status, 0) << answer.text;
  ::mindspore::serving::proto::PredictReply reply;
  ASSERT_TRUE(reply.ParseFromString(answer.messages.at(0)));
  ASSERT_EQ(reply.instances_size(), 1) << reply.ShortDebugString();
  float results[2];
  std::memcpy(results, reply.instances(0).items().at("y").data().data(), sizeof results);
  EXPECT_EQ(results[1], 4);

  inference::ModelInferResponse own;
  ASSERT_TRUE(own.ParseFromString(client.ask(kInfer, infer_request("add")).messages.at(0)));
  ASSERT_EQ(own.raw_output_contents_size(), 1);
  EXPECT_EQ(client.ask(kInfer, infer_request("other")).status,
            static_cast<int>(GrpcCode::NotFound));
  EXPECT_EQ(client.ask(kInfer, "no message").status, static_cast<int>(GrpcCode::Internal));
}

// ---- what the Open Inference Protocol tells besides

constexpr const char* kService = "/inference.GRPCInferenceService/";

TEST_F(ServerTest, ExtensionsAreTheSameOverBothProtocols) {
  start_rest();
  start_grpc();
  inference::ServerMetadataResponse own;
  SocketGrpcClient client(grpc_);
  ASSERT_TRUE(
      own.ParseFromString(client.ask(std::string(kService) + "ServerMetadata", "").messages.at(0)));
  std::vector<std::string> told;
  const Json metadata = platform::parse_json(http(rest_, "GET", "/v2").second, "metadata");
  for (const Json& name : metadata.at("extensions").array()) told.push_back(name.string());
  EXPECT_THAT(told, testing::IsSupersetOf({"model_configuration", "model_repository"}));
  EXPECT_THAT(told, testing::ElementsAreArray(own.extensions()));
}

TEST_F(ServerTest, ConfigurationsAreWithoutTheBatch) {
  VersionOptions options = version("add");
  options.batching.delay = 300us;
  server_.load(options);
  start_rest();
  start_grpc();
  EXPECT_EQ(http(rest_, "GET", "/v2/models/other/config").first, 404);
  EXPECT_EQ(http(rest_, "GET", "/v2/models/add/versions/1/config").second,
            R"({"name":"add","platform":"mycel_mindir","backend":"mycel","max_batch_size":2,)"
            R"("input":[{"name":"a","data_type":"TYPE_FP32","dims":[2]},)"
            R"({"name":"b","data_type":"TYPE_FP32","dims":[2]}],)"
            R"("output":[{"name":"y","data_type":"TYPE_FP32","dims":[2]}],)"
            R"("dynamic_batching":{"max_queue_delay_microseconds":300}})");
  SocketGrpcClient client(grpc_);
  inference::ModelConfigRequest request;
  request.set_name("add.sum");
  const GrpcReply reply =
      client.ask(std::string(kService) + "ModelConfig", request.SerializeAsString());
  inference::ModelConfigResponse own;
  ASSERT_TRUE(own.ParseFromString(reply.messages.at(0)));
  EXPECT_EQ(own.config().name(), "add.sum");
  EXPECT_EQ(own.config().max_batch_size(), 2);
  EXPECT_EQ(own.config().dynamic_batching().max_queue_delay_microseconds(), 300U);
  ASSERT_EQ(own.config().input_size(), 2);
  EXPECT_EQ(own.config().input(1).data_type(), inference::TYPE_FP32);
  EXPECT_THAT(own.config().output(0).dims(), testing::ElementsAre(2));
  request.set_version("one");
  EXPECT_EQ(client.ask(std::string(kService) + "ModelConfig", request.SerializeAsString()).status,
            static_cast<int>(GrpcCode::InvalidArgument));
}

TEST_F(ServerTest, StatisticsCountRequestsInstancesAndRuns) {
  server_.load(version("add"));
  server_.load(version("hangs"));
  start_rest();
  start_grpc();
  EXPECT_EQ(http(rest_, "GET", "/v2/models/other/stats").first, 404);
  sum("add", R"({"instances":[{"a":[1.0,2.0],"b":[3.0,4.0]},{"a":[1.0,2.0],"b":[3.0,4.0]},
                              {"a":[1.0,2.0],"b":[3.0,4.0]}]})");
  sum("add", R"({"instances":[{"a":[1.0],"b":[3.0,4.0]}]})");
  const Json all =
      platform::parse_json(http(rest_, "GET", "/v2/models/add/stats").second, "statistics");
  ASSERT_EQ(all.at("model_stats").array().size(), 1U);
  const Json& own = all.at("model_stats").array()[0];
  EXPECT_EQ(own.at("name").string(), "add");
  EXPECT_EQ(own.at("version").string(), "1");
  EXPECT_EQ(own.at("inference_count").integer(), 3);
  EXPECT_EQ(own.at("execution_count").integer(), 2);
  EXPECT_GT(own.at("last_inference").integer(), 1'600'000'000'000);
  const Json& requests = own.at("inference_stats");
  EXPECT_EQ(requests.at("success").at("count").integer(), 1);
  EXPECT_GT(requests.at("success").at("ns").integer(), 0);
  EXPECT_EQ(requests.at("fail").at("count").integer(), 1);
  EXPECT_THAT(http(rest_, "GET", "/v2/models/stats").second,
              testing::AllOf(HasSubstr(R"("name":"add")"), HasSubstr(R"("name":"hangs")")));

  SocketGrpcClient client(grpc_);
  inference::ModelStatisticsResponse told;
  ASSERT_TRUE(told.ParseFromString(
      client.ask(std::string(kService) + "ModelStatistics", "").messages.at(0)));
  ASSERT_EQ(told.model_stats_size(), 2);
  EXPECT_EQ(told.model_stats(0).inference_count(), 3U);
  EXPECT_EQ(told.model_stats(0).inference_stats().fail().count(), 1U);
  EXPECT_EQ(told.model_stats(1).inference_stats().success().count(), 0U);
}

TEST_F(ServerTest, ModelsAreUnloadedOverGrpc) {
  server_.load(version("add"));
  start_rest();
  start_grpc();
  SocketGrpcClient client(grpc_);
  const auto index = [&](bool only_ready) {
    inference::RepositoryIndexRequest request;
    request.set_ready(only_ready);
    inference::RepositoryIndexResponse reply;
    reply.ParseFromString(
        client.ask(std::string(kService) + "RepositoryIndex", request.SerializeAsString())
            .messages.at(0));
    return reply;
  };
  const auto unload = [&](const inference::RepositoryModelUnloadRequest& request) {
    return client.ask(std::string(kService) + "RepositoryModelUnload", request.SerializeAsString())
        .status;
  };
  EXPECT_EQ(index(true).models(0).state(), "READY");
  inference::RepositoryModelUnloadRequest request;
  request.set_model_name("add");
  (*request.mutable_parameters())["now"].set_bool_param(true);
  EXPECT_EQ(unload(request), static_cast<int>(GrpcCode::InvalidArgument));
  request.mutable_parameters()->clear();
  request.set_repository_name("other");
  EXPECT_EQ(unload(request), static_cast<int>(GrpcCode::InvalidArgument));
  request.clear_repository_name();
  (*request.mutable_parameters())["unload_dependents"].set_bool_param(false);
  EXPECT_EQ(unload(request), 0);
  EXPECT_EQ(unload(request), static_cast<int>(GrpcCode::InvalidArgument));
  EXPECT_EQ(index(true).models_size(), 0);
  EXPECT_EQ(index(false).models(0).state(), "UNAVAILABLE");
  EXPECT_EQ(http(rest_, "POST", "/v2/repository/index", R"({"ready":true})").second, "[]");
  EXPECT_EQ(http(rest_, "POST", "/v2/repository/index", "ready").first, 400);
}

TEST_F(ServerTest, ParametersOfALoadAreRefused) {
  server_.load(version("add"));
  start_rest();
  start_grpc();
  const auto [status, text] =
      http(rest_, "POST", "/v2/repository/models/add/load", R"({"parameters":{"config":"{}"}})");
  EXPECT_EQ(status, 400);
  EXPECT_THAT(text, HasSubstr("load parameter 'config' is not supported"));
  inference::RepositoryModelLoadRequest request;
  request.set_model_name("add");
  (*request.mutable_parameters())["config"].set_string_param("{}");
  const GrpcReply reply = SocketGrpcClient(grpc_).ask(std::string(kService) + "RepositoryModelLoad",
                                                      request.SerializeAsString());
  EXPECT_EQ(reply.status, static_cast<int>(GrpcCode::InvalidArgument));
  EXPECT_THAT(reply.text, HasSubstr("load parameter 'config' is not supported"));
}

TEST_F(ServerTest, StreamsAnswerOneByOne) {
  server_.load(version("add"));
  start_grpc();
  SocketGrpcClient client(grpc_);
  std::string body;
  for (const char* model : {"add", "other", "add"}) {
    const std::string message = infer_request(model);
    const auto prefix = grpc_prefix(message.size());
    body.append(prefix.data(), prefix.size()).append(message);
  }
  std::optional<GrpcReply> reply;
  client.calls().ask_bytes(std::string(kService) + "ModelStreamInfer", body, true,
                           [&](GrpcReply own) { reply = std::move(own); });
  while (!reply && client.exchange()) {
  }
  ASSERT_TRUE(reply);
  EXPECT_EQ(reply->status, 0) << reply->text;
  ASSERT_EQ(reply->messages.size(), 3U);
  for (const std::size_t i : {0U, 1U, 2U}) {
    inference::ModelStreamInferResponse own;
    ASSERT_TRUE(own.ParseFromString(reply->messages[i]));
    EXPECT_EQ(own.error_message().empty(), i != 1) << own.error_message();
    EXPECT_EQ(own.infer_response().raw_output_contents_size(), i != 1 ? 1 : 0);
  }
}

TEST_F(ServerTest, StreamsEndAtTheirDeadlines) {
  server_.load(version("hangs"));
  start_grpc();
  SocketGrpcClient client(grpc_);
  EXPECT_EQ(client
                .ask(std::string(kService) + "ModelStreamInfer", infer_request("hangs"),
                     {{"grpc-timeout", "50m"}})
                .status,
            static_cast<int>(GrpcCode::DeadlineExceeded));
}

// ---- calls under way

// A call that no worker answers ends at its deadline, or when the server does.
TEST_F(ServerTest, GrpcCallsUnderWayEndWithTheServer) {
  server_.load(version("hangs"));
  start_grpc();
  std::vector<std::thread> clients;
  std::atomic<int> answered{0};
  for (int i = 0; i < 4; ++i)
    clients.emplace_back([&] {
      SocketGrpcClient client(grpc_);
      EXPECT_EQ(client.ask(kInfer, infer_request("hangs")).status,
                static_cast<int>(GrpcCode::Unavailable));
      ++answered;
    });
  start_rest();
  while (status().at("open_requests").integer() < 4) std::this_thread::yield();
  server_.stop(0ms);
  for (std::thread& client : clients) client.join();
  EXPECT_EQ(answered, 4);
}

TEST_F(ServerTest, GrpcCallsEndAtTheirDeadlines) {
  server_.load(version("hangs"));
  start_grpc();
  SocketGrpcClient client(grpc_);
  EXPECT_EQ(client.ask(kInfer, infer_request("hangs"), {{"grpc-timeout", "50m"}}).status,
            static_cast<int>(GrpcCode::DeadlineExceeded));
}

TEST_F(ServerTest, MoreRequestsThanMayWaitAreRefused) {
  server_.load(version("hangs"));
  server_.set_most_requests(2);
  start_rest();
  std::vector<std::thread> clients;
  for (int i = 0; i < 2; ++i)
    clients.emplace_back([&] { EXPECT_THAT(sum("hangs").second, HasSubstr("not available")); });
  while (status().at("open_requests").integer() < 2) std::this_thread::yield();
  EXPECT_THAT(sum("hangs").second, HasSubstr("enqueued requests count exceeds the limit 2"));
  server_.stop(0ms);
  for (std::thread& client : clients) client.join();
}

// ---- workers that end

TEST_F(ServerTest, KilledWorkersComeAgain) {
  server_.load(version("add", 2));
  start_rest();
  EXPECT_EQ(sum("add").second, kSum);
  for (int i = 0; i < 5; ++i) {
    kill_worker(0);
    kill_worker(1);
    // Either it ran there and is told so, or it is answered by the next.
    std::string reply;
    int failures = 0;
    while ((reply = sum("add").second) != kSum && failures < 4) {
      EXPECT_THAT(reply, HasSubstr("worker process"));
      ++failures;
    }
    EXPECT_EQ(reply, kSum);
  }
}

TEST_F(ServerTest, WorkerThatTalksNonsenseIsKilled) {
  server_.load(version("mad"));
  start_rest();
  EXPECT_THAT(sum("mad").second, HasSubstr("it sent what is no message of a worker"));
}

// It handled nothing well, so it is not started again, and the server ends with its last worker.
TEST_F(ServerTest, PortsCloseWithTheLastWorker) {
  server_.load(version("leaves"));
  start_rest();
  EXPECT_THAT(sum("leaves").second, HasSubstr("servable is not available"));
  EXPECT_TRUE(server_.wait(10s));
  EXPECT_EQ(sum("leaves").first, 0);
  EXPECT_TRUE(children().empty());
}

TEST_F(ServerTest, OtherServablesKeepTheServer) {
  server_.load(version("leaves"));
  server_.load(version("add"));
  start_rest();
  EXPECT_THAT(sum("leaves").second, HasSubstr("servable is not available"));
  EXPECT_EQ(sum("add").second, kSum);
  EXPECT_THAT(sum("leaves").second, HasSubstr("servable is not available"));
  EXPECT_EQ(failure_of_load(version("leaves")), "");  // its place is free
}

// Nobody waits for a worker that will never be ready.
TEST_F(ServerTest, WorkerThatNeverComesBackAnswersItsRequests) {
  server_.load(version("once"));
  start_rest();
  sum("once");
  for (int i = 0; i < 3; ++i)
    EXPECT_THAT(sum("once").second, testing::AnyOf(HasSubstr("not available"), testing::IsEmpty()));
  EXPECT_TRUE(server_.wait(20s));
}

// ---- the end

TEST_F(ServerTest, UnloadsAndLoadsAgain) {
  server_.load(version("add"));
  start_rest();
  EXPECT_FALSE(server_.unload("add", 2));
  EXPECT_FALSE(server_.unload("other", 1));
  EXPECT_TRUE(server_.unload("add", 1));
  EXPECT_TRUE(children().empty());
  EXPECT_THAT(sum("add").second, HasSubstr("servable is not available"));
  server_.load(version("add"));
  EXPECT_EQ(sum("add").second, kSum);
}

TEST_F(ServerTest, NewestVersionAnswers) {
  VersionOptions second = version("add");
  second.number = 2;
  server_.load(version("add"));
  server_.load(second);
  start_rest();
  EXPECT_THAT(http(rest_, "GET", "/v2/models/add").second, HasSubstr(R"("versions":["1","2"])"));
  EXPECT_EQ(http(rest_, "POST", "/model/add/version/2:sum", kOne).second, kSum);
  EXPECT_TRUE(server_.unload("add", 2));
  EXPECT_THAT(http(rest_, "POST", "/model/add/version/2:sum", kOne).second,
              HasSubstr("servable is not available"));
  EXPECT_EQ(sum("add").second, kSum);
}

TEST_F(ServerTest, StopsWhileAVersionIsStarting) {
  VersionOptions options = version("add");
  options.model_workers.words = {"/bin/sh", "-c",
                                 "exec sleep 1000"};  // ready in a thousand seconds
  std::future<std::string> failure =
      std::async(std::launch::async, [&] { return failure_of_load(options); });
  while (children().empty()) std::this_thread::yield();
  server_.stop(0ms);
  EXPECT_THAT(failure.get(), HasSubstr("Fail to start workers"));
  EXPECT_TRUE(children().empty());
}

TEST_F(ServerTest, StopsWhileAWorkerIsStartedAgain) {
  server_.load(version("once"));
  start_rest();
  sum("once");
  server_.stop(0ms);
  EXPECT_TRUE(children().empty());
}

TEST_F(ServerTest, SeveralMayStopIt) {
  server_.load(version("add"));
  start_rest();
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) threads.emplace_back([this] { server_.stop(10s); });
  for (std::thread& thread : threads) thread.join();
  EXPECT_TRUE(server_.wait(0ms));
  EXPECT_TRUE(children().empty());
}

TEST_F(ServerTest, RequestsThatWaitAreAnsweredWhenItStops) {
  server_.load(version("hangs"));
  start_rest();
  std::vector<std::thread> clients;
  std::atomic<int> answered{0};
  for (int i = 0; i < 8; ++i)
    clients.emplace_back([&] {
      EXPECT_THAT(sum("hangs").second, HasSubstr("not available"));
      ++answered;
    });
  while (status().at("open_requests").integer() < 8) std::this_thread::yield();
  server_.stop(0ms);
  for (std::thread& client : clients) client.join();
  EXPECT_EQ(answered, 8);
}

}  // namespace
}  // namespace mycel::serving
