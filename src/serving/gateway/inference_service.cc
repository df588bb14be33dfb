// SPDX-License-Identifier: Apache-2.0
// The Open Inference Protocol over gRPC.
#include <charconv>

#include "serving/gateway/grpc_messages.h"
#include "serving/gateway/grpc_services.h"
#include "serving/gateway/rest.h"

namespace mycel::serving {
namespace {

using platform::join;

constexpr std::string_view kService = "/inference.GRPCInferenceService/";

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

GrpcStatus status_of(const Failure& failure) { return {code_of(failure.code), failure.text}; }

std::variant<Route, Failure> find(const Repository& repository, const std::string& name,
                                  const std::string& version) {
  std::uint64_t number = 0;
  const char* end = version.data() + version.size();
  if (!version.empty() && std::from_chars(version.data(), end, number).ptr != end)
    return Failure{FailureCode::InvalidInputs, join("version '", version, "' is no number")};
  return find_model(repository, name, number);
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

// A message, and what was read of it.
struct Infer {
  std::shared_ptr<const inference::ModelInferRequest> request;  // null: it is none
  std::variant<NamedTensors, Failure> tensors;
};

Infer read_infer(const std::string& bytes) {
  Infer infer{parsed<inference::ModelInferRequest>(bytes), NamedTensors{}};
  if (infer.request != nullptr) infer.tensors = read_tensors(infer.request);
  return infer;
}

void write_reply(const Route& route, const inference::ModelInferRequest& asked,
                 std::vector<Outcome> outcomes, SideThread& side,
                 const std::shared_ptr<GrpcCall>& call) {
  std::vector<Instance> rows;
  for (Outcome& outcome : outcomes) {
    if (const auto* failure = std::get_if<Failure>(&outcome))
      return call->finish(status_of(*failure));
    rows.push_back(std::get<Instance>(std::move(outcome)));
  }
  const auto tensors = to_tensors(route.version->servable(), *route.method, std::move(rows));
  if (const auto* failure = std::get_if<Failure>(&tensors))
    return call->finish(status_of(*failure));
  std::size_t bytes = 0;
  for (const Value& value : std::get<Instance>(tensors)) bytes += value.bytes.size();
  const auto write = [route, tensors = std::get<Instance>(tensors), name = asked.model_name(),
                      id = asked.id()] {
    inference::ModelInferResponse reply;
    reply.set_model_name(name);
    reply.set_model_version(join(route.version->number()));
    reply.set_id(id);
    write_tensors(*route.method, tensors, reply);
    return reply.SerializeAsString();
  };
  side.run(bytes, write, [call](std::string reply) {
    call->send(std::move(reply));
    call->finish({});
  });
}

void run(Repository& repository, SideThread& side, const std::shared_ptr<GrpcCall>& call,
         const Infer& infer) {
  const std::shared_ptr<const inference::ModelInferRequest> asked = infer.request;
  if (asked == nullptr) return call->finish(unparsable<inference::ModelInferRequest>());
  const auto refuse = [&](const Failure& failure) { call->finish(status_of(failure)); };
  if (const auto* failure = std::get_if<Failure>(&infer.tensors)) return refuse(*failure);
  const auto found = find(repository, asked->model_name(), asked->model_version());
  if (const auto* failure = std::get_if<Failure>(&found)) return refuse(*failure);
  const Route& route = std::get<Route>(found);
  auto instances =
      to_instances(route.version->servable(), *route.method, std::get<NamedTensors>(infer.tensors));
  if (const auto* failure = std::get_if<Failure>(&instances)) return refuse(*failure);
  Request request;
  request.deadline = call->deadline();
  request.instances = std::get<0>(std::move(instances));
  request.done = [route, asked, call, &side](std::vector<Outcome> outcomes) {
    write_reply(route, *asked, std::move(outcomes), side, call);
  };
  repository.submit(route, std::move(request));
}

}  // namespace

void add_inference(GrpcMethods& methods, Repository& repository, SideThread& side) {
  const auto add = [&](std::string_view name, GrpcMethod method) {
    methods[join(kService, name)] = std::move(method);
  };
  add("ServerLive", quick_method<inference::ServerLiveRequest>([](GrpcCall& call, const auto&) {
        inference::ServerLiveResponse reply;
        reply.set_live(true);
        answer(call, reply);
      }));
  add("ServerReady",
      quick_method<inference::ServerReadyRequest>([&repository](GrpcCall& call, const auto&) {
        inference::ServerReadyResponse reply;
        reply.set_ready(repository.is_ready());
        answer(call, reply);
      }));
  add("ModelReady", quick_method<inference::ModelReadyRequest>(
                        [&repository](GrpcCall& call, const auto& request) {
                          const auto found = find(repository, request.name(), request.version());
                          inference::ModelReadyResponse reply;
                          reply.set_ready(std::holds_alternative<Route>(found));
                          answer(call, reply);
                        }));
  add("ServerMetadata",
      quick_method<inference::ServerMetadataRequest>([](GrpcCall& call, const auto&) {
        inference::ServerMetadataResponse reply;
        reply.set_name("mycel");
        reply.set_version("2.3.0");
        answer(call, reply);
      }));
  add("ModelMetadata", quick_method<inference::ModelMetadataRequest>(
                           [&repository](GrpcCall& call, const auto& request) {
                             const auto found = find(repository, request.name(), request.version());
                             if (const auto* failure = std::get_if<Failure>(&found))
                               return call.finish(status_of(*failure));
                             answer(call, metadata_reply(metadata_of(repository, request.name(),
                                                                     std::get<Route>(found))));
                           }));
  add("ModelInfer",
      {[&repository, &side](const std::shared_ptr<GrpcCall>& call, std::string message) {
        const std::size_t bytes = message.size();
        const auto read = [message = std::move(message)] { return read_infer(message); };
        side.run(bytes, read, [&repository, &side, call](const Infer& infer) {
          run(repository, side, call, infer);
        });
      }});
}

}  // namespace mycel::serving
