// SPDX-License-Identifier: Apache-2.0
// The Open Inference Protocol over gRPC: inference, one request a call or many.
#include <algorithm>
#include <vector>

#include "serving/gateway/grpc_messages.h"
#include "serving/gateway/inference_service.h"

namespace mycel::serving {
namespace {

using platform::join;

// How a request is told what came of it.
struct Manner {
  std::string (*text_of)(inference::ModelInferResponse reply);
  void (*refuse)(GrpcCall& call, const inference::ModelInferRequest& asked, const Failure& failure);
};

constexpr Manner kAlone{
    [](inference::ModelInferResponse reply) { return reply.SerializeAsString(); },
    [](GrpcCall& call, const inference::ModelInferRequest& /*asked*/, const Failure& failure) {
      call.finish(status_of(failure));
    }};

// Requests that fail do not end the stream; whoever has several under way knows them by their ids.
constexpr Manner kStreamed{
    [](inference::ModelInferResponse reply) {
      inference::ModelStreamInferResponse streamed;
      *streamed.mutable_infer_response() = std::move(reply);
      return streamed.SerializeAsString();
    },
    [](GrpcCall& call, const inference::ModelInferRequest& asked, const Failure& failure) {
      inference::ModelStreamInferResponse streamed;
      streamed.set_error_message(failure.text);
      streamed.mutable_infer_response()->set_id(asked.id());
      answer(call, streamed);
    }};

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

// Places of the outputs that are wanted: all of them where none is named.
std::variant<std::vector<std::size_t>, Failure> wanted_outputs(
    const Method& method, const inference::ModelInferRequest& asked) {
  std::vector<std::size_t> places;
  for (const auto& wanted : asked.outputs()) {
    const auto at = std::ranges::find(method.outputs, wanted.name());
    if (at == method.outputs.end())
      return Failure{FailureCode::InvalidInputs,
                     join("the model has no output '", wanted.name(), "'")};
    places.push_back(static_cast<std::size_t>(at - method.outputs.begin()));
  }
  for (std::size_t k = 0; asked.outputs().empty() && k < method.outputs.size(); ++k)
    places.push_back(k);
  return places;
}

void write_reply(const Route& route, const Manner& manner,
                 const inference::ModelInferRequest& asked, const std::vector<std::size_t>& wanted,
                 std::vector<Outcome> outcomes, SideThread& side,
                 const std::shared_ptr<GrpcCall>& call) {
  std::vector<Instance> rows;
  for (Outcome& outcome : outcomes) {
    if (const auto* failure = std::get_if<Failure>(&outcome))
      return manner.refuse(*call, asked, *failure);
    rows.push_back(std::get<Instance>(std::move(outcome)));
  }
  const auto tensors = to_tensors(route.version->servable(), *route.method, std::move(rows));
  if (const auto* failure = std::get_if<Failure>(&tensors))
    return manner.refuse(*call, asked, *failure);
  std::size_t bytes = 0;
  for (const Value& value : std::get<Instance>(tensors)) bytes += value.bytes.size();
  const auto write = [route, wanted, tensors = std::get<Instance>(tensors),
                      name = asked.model_name(), id = asked.id(), text_of = manner.text_of] {
    inference::ModelInferResponse reply;
    reply.set_model_name(name);
    reply.set_model_version(join(route.version->number()));
    reply.set_id(id);
    write_tensors(*route.method, tensors, wanted, reply);
    return text_of(std::move(reply));
  };
  side.run(bytes, write, [call](std::string reply) {
    call->send(std::move(reply));
    call->finish({});
  });
}

void run(Repository& repository, SideThread& side, const Manner& manner,
         const std::shared_ptr<GrpcCall>& call, const Infer& infer) {
  const std::shared_ptr<const inference::ModelInferRequest> asked = infer.request;
  if (asked == nullptr) return call->finish(unparsable<inference::ModelInferRequest>());
  const auto refuse = [&](const Failure& failure) { manner.refuse(*call, *asked, failure); };
  if (const auto* failure = std::get_if<Failure>(&infer.tensors)) return refuse(*failure);
  const auto found = find_model(repository, asked->model_name(), asked->model_version());
  if (const auto* failure = std::get_if<Failure>(&found)) return refuse(*failure);
  const Route& route = std::get<Route>(found);
  const auto wanted = wanted_outputs(*route.method, *asked);
  if (const auto* failure = std::get_if<Failure>(&wanted)) return refuse(*failure);
  auto instances =
      to_instances(route.version->servable(), *route.method, std::get<NamedTensors>(infer.tensors));
  if (const auto* failure = std::get_if<Failure>(&instances)) return refuse(*failure);
  Request request;
  request.deadline = call->deadline();
  request.instances = std::get<0>(std::move(instances));
  request.done = [route, &manner, asked, wanted = std::get<0>(wanted), call,
                  &side](std::vector<Outcome> outcomes) {
    write_reply(route, manner, *asked, wanted, std::move(outcomes), side, call);
  };
  repository.submit(route, std::move(request));
}

// `manner` lives as long as the program.
GrpcMethod infer_method(Repository& repository, SideThread& side, const Manner& manner) {
  GrpcMethod method;
  method.on_message = [&repository, &side, &manner](const std::shared_ptr<GrpcCall>& call,
                                                    std::string message) {
    const std::size_t bytes = message.size();
    const auto read = [message = std::move(message)] { return read_infer(message); };
    side.run(bytes, read,
             [&, call](const Infer& infer) { run(repository, side, manner, call, infer); });
  };
  return method;
}

}  // namespace

void add_infer(GrpcMethods& methods, Repository& repository, SideThread& side) {
  methods[inference_path("ModelInfer")] = infer_method(repository, side, kAlone);
  GrpcMethod streamed = infer_method(repository, side, kStreamed);
  streamed.takes_many = true;
  methods[inference_path("ModelStreamInfer")] = std::move(streamed);
}

}  // namespace mycel::serving
