// SPDX-License-Identifier: Apache-2.0
// The Open Inference Protocol over gRPC: what the server and its models are.
#include "serving/gateway/inference_service.h"

#include <open_inference.pb.h>

#include "serving/gateway/model_config.h"
#include "serving/gateway/model_lookup.h"
#include "serving/gateway/model_statistics.h"
#include "serving/gateway/server_metadata.h"

namespace mycel::serving {
namespace {

using platform::join;

GrpcCode code_of(FailureCode code) {
  switch (code) {
    case FailureCode::None: return GrpcCode::Ok;
    case FailureCode::InvalidInputs: return GrpcCode::InvalidArgument;
    case FailureCode::NotFound: return GrpcCode::NotFound;
    case FailureCode::WorkerUnavailable:
    case FailureCode::ServableUnavailable: return GrpcCode::Unavailable;
    case FailureCode::QueueFull: return GrpcCode::ResourceExhausted;
    case FailureCode::DeadlineExceeded: return GrpcCode::DeadlineExceeded;
    case FailureCode::Cancelled: return GrpcCode::Cancelled;
    case FailureCode::Failed:
    case FailureCode::SystemError: return GrpcCode::Internal;
  }
  return GrpcCode::Internal;
}

inference::ModelMetadataResponse metadata_reply(const ModelDescription& metadata) {
  inference::ModelMetadataResponse reply;
  reply.set_name(metadata.name);
  reply.set_platform(metadata.platform);
  for (const std::string& version : metadata.versions) reply.add_versions(version);
  const auto fill = [](const TensorMetadata& from, auto& to) {
    to.set_name(from.name);
    to.set_datatype(from.datatype);
    for (const std::int64_t length : from.dims) to.add_shape(length);
  };
  for (const TensorMetadata& tensor : metadata.inputs) fill(tensor, *reply.add_inputs());
  for (const TensorMetadata& tensor : metadata.outputs) fill(tensor, *reply.add_outputs());
  return reply;
}

inference::ModelConfigResponse config_reply(const ModelConfig& from) {
  inference::ModelConfigResponse reply;
  inference::ModelConfig& config = *reply.mutable_config();
  config.set_name(from.name);
  config.set_platform(from.platform);
  config.set_backend(std::string(kBackend));
  config.set_max_batch_size(static_cast<std::int32_t>(from.most_batch));
  if (from.most_batch > 0)
    config.mutable_dynamic_batching()->set_max_queue_delay_microseconds(
        static_cast<std::uint64_t>(from.batch_delay.count()));
  const auto fill = [](const ConfiguredTensor& tensor, auto& to) {
    inference::DataType type = inference::TYPE_INVALID;
    inference::DataType_Parse(tensor.type, &type);
    to.set_name(tensor.name);
    to.set_data_type(type);
    for (const std::int64_t length : tensor.dims) to.add_dims(length);
  };
  for (const ConfiguredTensor& tensor : from.inputs) fill(tensor, *config.add_input());
  for (const ConfiguredTensor& tensor : from.outputs) fill(tensor, *config.add_output());
  return reply;
}

inference::ModelStatisticsResponse statistics_reply(const std::vector<ModelStatistics>& all) {
  inference::ModelStatisticsResponse reply;
  const auto fill = [](const DurationSum& from, inference::StatisticDuration& to) {
    to.set_count(from.count());
    to.set_ns(from.nanoseconds());
  };
  for (const ModelStatistics& from : all) {
    inference::ModelStatistics& own = *reply.add_model_stats();
    own.set_name(from.name);
    own.set_version(from.version);
    own.set_last_inference(static_cast<std::uint64_t>(from.counts->last_request.load()));
    own.set_inference_count(from.counts->succeeded_instances);
    own.set_execution_count(from.runs);
    fill(from.counts->succeeded, *own.mutable_inference_stats()->mutable_success());
    fill(from.counts->failed, *own.mutable_inference_stats()->mutable_fail());
  }
  return reply;
}

inference::ServerMetadataResponse server_reply() {
  inference::ServerMetadataResponse reply;
  reply.set_name(std::string(kServerName));
  reply.set_version(std::string(kServerVersion));
  for (const std::string_view extension : kServerExtensions)
    reply.add_extensions(std::string(extension));
  return reply;
}

// Without a name: of all models.
void tell_statistics(const Repository& repository, GrpcCall& call,
                     const inference::ModelStatisticsRequest& request) {
  if (request.name().empty()) return answer(call, statistics_reply(model_statistics(repository)));
  const auto found = find_model(repository, request.name(), request.version());
  if (const auto* failure = std::get_if<Failure>(&found)) return call.finish(status_of(*failure));
  const Route& route = std::get<Route>(found);
  const std::uint64_t version = request.version().empty() ? 0 : route.version->number();
  answer(call, statistics_reply(model_statistics(repository, request.name(), version, route)));
}

// A method that tells of one model; `reply_of` is given the request and where the model is.
template <class Request, class ReplyOf>
GrpcMethod model_method(const Repository& repository, ReplyOf reply_of) {
  return quick_method<Request>([&repository, reply_of](GrpcCall& call, const Request& request) {
    const auto found = find_model(repository, request.name(), request.version());
    if (const auto* failure = std::get_if<Failure>(&found)) return call.finish(status_of(*failure));
    answer(call, reply_of(request, std::get<Route>(found)));
  });
}

void add_models(GrpcMethods& methods, const Repository& repository) {
  methods[inference_path("ModelReady")] = quick_method<inference::ModelReadyRequest>(
      [&repository](GrpcCall& call, const inference::ModelReadyRequest& request) {
        const auto found = find_model(repository, request.name(), request.version());
        inference::ModelReadyResponse reply;
        reply.set_ready(std::holds_alternative<Route>(found));
        answer(call, reply);
      });
  methods[inference_path("ModelMetadata")] = model_method<inference::ModelMetadataRequest>(
      repository,
      [&repository](const inference::ModelMetadataRequest& request, const Route& route) {
        return metadata_reply(metadata_of(repository, request.name(), route));
      });
  methods[inference_path("ModelConfig")] = model_method<inference::ModelConfigRequest>(
      repository, [](const inference::ModelConfigRequest& request, const Route& route) {
        return config_reply(config_of(request.name(), route));
      });
  methods[inference_path("ModelStatistics")] = quick_method<inference::ModelStatisticsRequest>(
      [&repository](GrpcCall& call, const inference::ModelStatisticsRequest& request) {
        tell_statistics(repository, call, request);
      });
}

}  // namespace

std::string inference_path(std::string_view method) {
  return join("/inference.GRPCInferenceService/", method);
}

GrpcStatus status_of(const Failure& failure) { return {code_of(failure.code), failure.text}; }

std::variant<Route, Failure> find_model(const Repository& repository, const std::string& model,
                                        const std::string& version) {
  if (version.empty()) return find_model(repository, model, 0);
  const std::optional<std::uint64_t> number = read_number(version);
  if (!number)
    return Failure{FailureCode::InvalidInputs, join("version '", version, "' is no number")};
  return find_model(repository, model, *number);
}

void add_inference(GrpcMethods& methods, Repository& repository, SideThread& side) {
  methods[inference_path("ServerLive")] =
      quick_method<inference::ServerLiveRequest>([](GrpcCall& call, const auto&) {
        inference::ServerLiveResponse reply;
        reply.set_live(true);
        answer(call, reply);
      });
  methods[inference_path("ServerReady")] =
      quick_method<inference::ServerReadyRequest>([&repository](GrpcCall& call, const auto&) {
        inference::ServerReadyResponse reply;
        reply.set_ready(repository.is_ready());
        answer(call, reply);
      });
  methods[inference_path("ServerMetadata")] = quick_method<inference::ServerMetadataRequest>(
      [](GrpcCall& call, const auto&) { answer(call, server_reply()); });
  add_models(methods, repository);
  add_infer(methods, repository, side);
  add_model_control(methods, repository);
}

}  // namespace mycel::serving
