// SPDX-License-Identifier: Apache-2.0
#include "serving/gateway/grpc_gateway.h"

#include <charconv>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <utility>

#include <boost/asio/post.hpp>
#include <grpcpp/ext/proto_server_reflection_plugin.h>
#include <grpcpp/grpcpp.h>
#include <grpcpp/health_check_service_interface.h>
#include <ms_service.grpc.pb.h>
#include <open_inference.grpc.pb.h>

#include "platform/log/log.h"
#include "serving/gateway/address.h"
#include "serving/gateway/grpc_messages.h"

namespace mycel::serving {
namespace {

namespace asio = boost::asio;
using platform::ErrorKind;
using platform::join;
using platform::require;

// What one connection may ask for. gRPC's own defaults are generous to a fault.
constexpr int kMostStreams = 256;
constexpr int kMostMetadataBytes = 16 << 10;
constexpr int kHandshakeMs = 10'000;
constexpr int kIdleMs = 30 * 60 * 1000;
constexpr int kLeastPingMs = 10'000;

grpc::StatusCode status_code(FailureCode code) {
  switch (code) {
    case FailureCode::None: return grpc::StatusCode::OK;
    case FailureCode::InvalidInputs: return grpc::StatusCode::INVALID_ARGUMENT;
    case FailureCode::NotFound: return grpc::StatusCode::NOT_FOUND;
    case FailureCode::WorkerUnavailable:
    case FailureCode::ServableUnavailable: return grpc::StatusCode::UNAVAILABLE;
    case FailureCode::QueueFull: return grpc::StatusCode::RESOURCE_EXHAUSTED;
    case FailureCode::DeadlineExceeded: return grpc::StatusCode::DEADLINE_EXCEEDED;
    case FailureCode::Cancelled: return grpc::StatusCode::CANCELLED;
    case FailureCode::Failed:
    case FailureCode::SystemError: return grpc::StatusCode::INTERNAL;
  }
  return grpc::StatusCode::INTERNAL;
}

grpc::Status status_of(const Failure& failure) { return {status_code(failure.code), failure.text}; }

Clock::time_point deadline_of(const grpc::CallbackServerContext& call) {
  const auto left = call.deadline() - std::chrono::system_clock::now();
  // "Never" is far away; a sum with it would wrap.
  constexpr std::chrono::hours kFar{24 * 365};
  return left > kFar ? Clock::time_point::max()
                     : Clock::now() + std::chrono::duration_cast<Clock::duration>(left);
}

// Takes the message out of the call, so that tensors that refer to it may outlive the call.
template <class Message>
std::shared_ptr<const Message> keep(const Message* message) {
  auto own = std::make_shared<Message>();
  own->Swap(const_cast<Message*>(message));  // NOLINT: gRPC lends it as const, and drops it
  return own;
}

class MindSporeService : public ms::MSService::CallbackService {
 public:
  MindSporeService(asio::io_context& context, Repository& repository)
      : context_(context), repository_(repository) {}

  grpc::ServerUnaryReactor* Predict(grpc::CallbackServerContext* call,
                                    const ms::PredictRequest* message,
                                    ms::PredictReply* reply) override {
    grpc::ServerUnaryReactor* reactor = call->DefaultReactor();
    const std::shared_ptr<const ms::PredictRequest> request = keep(message);
    auto instances = read_instances(request);
    *reply->mutable_servable_spec() = request->servable_spec();
    if (const auto* failure = std::get_if<Failure>(&instances)) {
      write_failure(*failure, *reply);
      reactor->Finish(grpc::Status::OK);
      return reactor;
    }
    asio::post(context_, [this, request, reply, reactor, deadline = deadline_of(*call),
                          values = std::get<0>(std::move(instances))]() mutable {
      run(*request, std::move(values), deadline, *reply, *reactor);
    });
    return reactor;
  }

 private:
  void run(const ms::PredictRequest& request, std::vector<NamedValues> instances,
           Clock::time_point deadline, ms::PredictReply& reply, grpc::ServerUnaryReactor& reactor) {
    const auto refuse = [&](const Failure& failure) {
      write_failure(failure, reply);
      reactor.Finish(grpc::Status::OK);
    };
    const ms::ServableSpec& place = request.servable_spec();
    const auto found = repository_.find(place.name(), place.method_name(), place.version_number());
    if (const auto* failure = std::get_if<Failure>(&found)) return refuse(*failure);
    const Route& route = std::get<Route>(found);
    Request call;
    call.deadline = deadline;
    for (NamedValues& values : instances) {
      auto instance = in_order(route.version->servable(), *route.method, std::move(values));
      if (const auto* failure = std::get_if<Failure>(&instance)) return refuse(*failure);
      call.instances.push_back(std::get<Instance>(std::move(instance)));
    }
    call.done = [route, &reply, &reactor](const std::vector<Outcome>& outcomes) {
      write_outcomes(*route.method, outcomes, reply);
      reactor.Finish(grpc::Status::OK);
    };
    repository_.submit(route, std::move(call));
  }

  asio::io_context& context_;
  Repository& repository_;
};

class OpenInferenceService : public inference::GRPCInferenceService::CallbackService {
 public:
  OpenInferenceService(asio::io_context& context, Repository& repository)
      : context_(context), repository_(repository) {}

  using Call = grpc::CallbackServerContext;
  using Reactor = grpc::ServerUnaryReactor;

  Reactor* ServerLive(Call* call, const inference::ServerLiveRequest* /*request*/,
                      inference::ServerLiveResponse* reply) override {
    reply->set_live(true);
    return finished(call);
  }

  Reactor* ServerReady(Call* call, const inference::ServerReadyRequest* /*request*/,
                       inference::ServerReadyResponse* reply) override {
    return on_repository(call, [this, reply] {
      reply->set_ready(repository_.is_ready());
      return grpc::Status::OK;
    });
  }

  Reactor* ModelReady(Call* call, const inference::ModelReadyRequest* request,
                      inference::ModelReadyResponse* reply) override {
    return on_repository(call, [this, request, reply] {
      const auto found = find(request->name(), request->version());
      reply->set_ready(std::holds_alternative<Route>(found));
      return grpc::Status::OK;
    });
  }

  Reactor* ServerMetadata(Call* call, const inference::ServerMetadataRequest* /*request*/,
                          inference::ServerMetadataResponse* reply) override {
    reply->set_name("mycel");
    reply->set_version("2.3.0");
    return finished(call);
  }

  Reactor* ModelMetadata(Call* call, const inference::ModelMetadataRequest* request,
                         inference::ModelMetadataResponse* reply) override {
    return on_repository(call, [this, request, reply] {
      const auto found = find(request->name(), request->version());
      if (const auto* failure = std::get_if<Failure>(&found)) return status_of(*failure);
      const ModelDescription metadata =
          metadata_of(repository_, request->name(), std::get<Route>(found));
      reply->set_name(metadata.name);
      reply->set_platform(metadata.platform);
      for (const std::string& version : metadata.versions) reply->add_versions(version);
      const auto fill = [](const TensorMetadata& from, auto& to) {
        to.set_name(from.name);
        to.set_datatype(from.datatype);
        for (const std::int64_t length : from.dims) to.add_shape(length);
      };
      for (const TensorMetadata& tensor : metadata.inputs) fill(tensor, *reply->add_inputs());
      for (const TensorMetadata& tensor : metadata.outputs) fill(tensor, *reply->add_outputs());
      return grpc::Status::OK;
    });
  }

  Reactor* ModelInfer(Call* call, const inference::ModelInferRequest* message,
                      inference::ModelInferResponse* reply) override {
    Reactor* reactor = call->DefaultReactor();
    const std::shared_ptr<const inference::ModelInferRequest> request = keep(message);
    auto tensors = read_tensors(request);
    if (const auto* failure = std::get_if<Failure>(&tensors)) {
      reactor->Finish(status_of(*failure));
      return reactor;
    }
    asio::post(context_, [this, request, reply, reactor, deadline = deadline_of(*call),
                          inputs = std::get<NamedTensors>(std::move(tensors))] {
      infer(*request, inputs, deadline, *reply, *reactor);
    });
    return reactor;
  }

 private:
  static Reactor* finished(Call* call) {
    Reactor* reactor = call->DefaultReactor();
    reactor->Finish(grpc::Status::OK);
    return reactor;
  }

  template <class Work>
  Reactor* on_repository(Call* call, Work work) {
    Reactor* reactor = call->DefaultReactor();
    asio::post(context_, [reactor, work] { reactor->Finish(work()); });
    return reactor;
  }

  std::variant<Route, Failure> find(const std::string& name, const std::string& version) const {
    std::uint64_t number = 0;
    const char* end = version.data() + version.size();
    if (!version.empty() && std::from_chars(version.data(), end, number).ptr != end)
      return Failure{FailureCode::InvalidInputs, join("version '", version, "' is no number")};
    return find_model(repository_, name, number);
  }

  void infer(const inference::ModelInferRequest& request, const NamedTensors& inputs,
             Clock::time_point deadline, inference::ModelInferResponse& reply, Reactor& reactor) {
    const auto refuse = [&](const Failure& failure) { reactor.Finish(status_of(failure)); };
    const auto found = find(request.model_name(), request.model_version());
    if (const auto* failure = std::get_if<Failure>(&found)) return refuse(*failure);
    const Route& route = std::get<Route>(found);
    auto instances = to_instances(route.version->servable(), *route.method, inputs);
    if (const auto* failure = std::get_if<Failure>(&instances)) return refuse(*failure);
    Request call;
    call.deadline = deadline;
    call.instances = std::get<0>(std::move(instances));
    reply.set_model_name(request.model_name());
    reply.set_model_version(join(route.version->number()));
    reply.set_id(request.id());
    call.done = [route, &reply, &reactor](std::vector<Outcome> outcomes) {
      std::vector<Instance> rows;
      for (Outcome& outcome : outcomes) {
        if (const auto* failure = std::get_if<Failure>(&outcome))
          return reactor.Finish(status_of(*failure));
        rows.push_back(std::get<Instance>(std::move(outcome)));
      }
      const auto tensors = to_tensors(route.version->servable(), *route.method, std::move(rows));
      if (const auto* failure = std::get_if<Failure>(&tensors))
        return reactor.Finish(status_of(*failure));
      write_tensors(*route.method, std::get<Instance>(tensors), reply);
      reactor.Finish(grpc::Status::OK);
    };
    repository_.submit(route, std::move(call));
  }

  asio::io_context& context_;
  Repository& repository_;
};

std::string content_of(const std::string& file, std::string_view what) {
  std::ifstream stream(file, std::ios::binary);
  require(static_cast<bool>(stream), ErrorKind::Runtime, "Serving Error: load ", what, " from ",
          file, " failed");
  return {std::istreambuf_iterator<char>(stream), {}};
}

std::shared_ptr<grpc::ServerCredentials> credentials(const std::optional<TlsOptions>& tls) {
  if (!tls) return grpc::InsecureServerCredentials();
  grpc::SslServerCredentialsOptions options(
      tls->verify_client ? GRPC_SSL_REQUEST_AND_REQUIRE_CLIENT_CERTIFICATE_AND_VERIFY
                         : GRPC_SSL_DONT_REQUEST_CLIENT_CERTIFICATE);
  options.pem_key_cert_pairs.push_back(
      {content_of(tls->private_key, "private_key"), content_of(tls->certificate, "certificate")});
  if (!tls->custom_ca.empty()) options.pem_root_certs = content_of(tls->custom_ca, "custom_ca");
  return grpc::SslServerCredentials(options);
}

}  // namespace

struct GrpcGateway::State {
  State(asio::io_context& context, Repository& repository)
      : mind_spore(context, repository), open_inference(context, repository) {}
  MindSporeService mind_spore;
  OpenInferenceService open_inference;
  std::unique_ptr<grpc::Server> server;
};

GrpcGateway::GrpcGateway(asio::io_context& context, Repository& repository,
                         const ListenOptions& options)
    : state_(std::make_unique<State>(context, repository)) {
  grpc::EnableDefaultHealthCheckService(true);
  grpc::reflection::InitProtoReflectionServerBuilderPlugin();
  grpc::ServerBuilder builder;
  builder.AddListeningPort(options.address, credentials(options.tls));
  const int most_bytes = static_cast<int>(options.most_message_bytes);
  builder.SetMaxReceiveMessageSize(most_bytes);
  builder.SetMaxSendMessageSize(most_bytes);
  builder.AddChannelArgument(GRPC_ARG_ALLOW_REUSEPORT, 0);
  builder.AddChannelArgument(GRPC_ARG_MAX_CONCURRENT_STREAMS, kMostStreams);
  builder.AddChannelArgument(GRPC_ARG_MAX_METADATA_SIZE, kMostMetadataBytes);
  builder.AddChannelArgument(GRPC_ARG_SERVER_HANDSHAKE_TIMEOUT_MS, kHandshakeMs);
  builder.AddChannelArgument(GRPC_ARG_MAX_CONNECTION_IDLE_MS, kIdleMs);
  builder.AddChannelArgument(GRPC_ARG_HTTP2_MIN_RECV_PING_INTERVAL_WITHOUT_DATA_MS, kLeastPingMs);
  builder.RegisterService(&state_->mind_spore);
  builder.RegisterService(&state_->open_inference);
  state_->server = builder.BuildAndStart();
  require(state_->server != nullptr, ErrorKind::Runtime,
          "Serving Error: Serving gRPC server start failed, create server failed, address ",
          options.address);
}

GrpcGateway::~GrpcGateway() = default;

void GrpcGateway::stop(std::chrono::milliseconds patience) {
  if (state_->server) state_->server->Shutdown(std::chrono::system_clock::now() + patience);
}

}  // namespace mycel::serving
