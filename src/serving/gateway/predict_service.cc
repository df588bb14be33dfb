// SPDX-License-Identifier: Apache-2.0
// MindSpore Serving's own service. What goes wrong is told in the reply, not by a status.
#include "serving/gateway/grpc_messages.h"
#include "serving/gateway/grpc_services.h"

namespace mycel::serving {
namespace {

using Instances = std::vector<NamedValues>;

// A message, and what was read of it.
struct Predict {
  std::shared_ptr<const ms::PredictRequest> request;  // null: it is none
  std::variant<Instances, Failure> instances;
};

Predict read_predict(const std::string& bytes) {
  Predict predict{parsed<ms::PredictRequest>(bytes), Instances{}};
  if (predict.request != nullptr) predict.instances = read_instances(predict.request);
  return predict;
}

ms::PredictReply reply_to(const ms::PredictRequest& request) {
  ms::PredictReply reply;
  *reply.mutable_servable_spec() = request.servable_spec();
  return reply;
}

void refuse(GrpcCall& call, const ms::PredictRequest& request, const Failure& failure) {
  ms::PredictReply reply = reply_to(request);
  write_failure(failure, reply);
  answer(call, reply);
}

std::size_t bytes_of(const std::vector<Outcome>& outcomes) {
  std::size_t bytes = 0;
  for (const Outcome& outcome : outcomes)
    if (const auto* instance = std::get_if<Instance>(&outcome))
      for (const Value& value : *instance) bytes += value.bytes.size();
  return bytes;
}

void run(Repository& repository, SideThread& side, const std::shared_ptr<GrpcCall>& call,
         Predict predict) {
  const std::shared_ptr<const ms::PredictRequest> asked = predict.request;
  if (asked == nullptr) return call->finish(unparsable<ms::PredictRequest>());
  if (const auto* failure = std::get_if<Failure>(&predict.instances))
    return refuse(*call, *asked, *failure);
  const ms::ServableSpec& place = asked->servable_spec();
  const auto found = repository.find(place.name(), place.method_name(), place.version_number());
  if (const auto* failure = std::get_if<Failure>(&found)) return refuse(*call, *asked, *failure);
  const Route& route = std::get<Route>(found);
  Request request;
  request.deadline = call->deadline();
  for (NamedValues& values : std::get<Instances>(predict.instances)) {
    auto instance = in_order(route.version->servable(), *route.method, std::move(values));
    if (const auto* failure = std::get_if<Failure>(&instance))
      return refuse(*call, *asked, *failure);
    request.instances.push_back(std::get<Instance>(std::move(instance)));
  }
  request.done = [route, call, asked, &side](std::vector<Outcome> outcomes) {
    const std::size_t bytes = bytes_of(outcomes);
    const auto own = std::make_shared<std::vector<Outcome>>(std::move(outcomes));
    const auto write = [route, asked, own] {
      ms::PredictReply reply = reply_to(*asked);
      write_outcomes(*route.method, *own, reply);
      return reply.SerializeAsString();
    };
    side.run(bytes, write, [call](std::string reply) {
      call->send(std::move(reply));
      call->finish({});
    });
  };
  repository.submit(route, std::move(request));
}

}  // namespace

void add_predict(GrpcMethods& methods, Repository& repository, SideThread& side) {
  methods["/mindspore.serving.proto.MSService/Predict"] = {
      [&repository, &side](const std::shared_ptr<GrpcCall>& call, std::string message) {
        const std::size_t bytes = message.size();
        const auto read = [message = std::move(message)] { return read_predict(message); };
        side.run(bytes, read, [&repository, &side, call](Predict predict) {
          run(repository, side, call, std::move(predict));
        });
      }};
}

}  // namespace mycel::serving
