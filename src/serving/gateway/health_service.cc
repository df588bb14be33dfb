// SPDX-License-Identifier: Apache-2.0
#include <health.pb.h>

#include "serving/gateway/grpc_services.h"

namespace mycel::serving {
namespace {

namespace health = grpc::health::v1;

health::HealthCheckResponse reply_of(health::HealthCheckResponse::ServingStatus status) {
  health::HealthCheckResponse reply;
  reply.set_status(status);
  return reply;
}

// The server as a whole goes by the name "".
bool is_known(const health::HealthCheckRequest& request, const GrpcMethods& methods) {
  if (request.service().empty()) return true;
  const std::string prefix = platform::join("/", request.service(), "/");
  const auto first = methods.lower_bound(prefix);
  return first != methods.end() && first->first.starts_with(prefix);
}

}  // namespace

void add_health(GrpcMethods& methods, std::vector<std::shared_ptr<GrpcCall>>& watchers) {
  methods["/grpc.health.v1.Health/Check"] = quick_method<health::HealthCheckRequest>(
      [&methods](GrpcCall& call, const health::HealthCheckRequest& request) {
        if (!is_known(request, methods))
          return call.finish({GrpcCode::NotFound, "unknown service " + request.service()});
        answer(call, reply_of(health::HealthCheckResponse::SERVING));
      });
  methods["/grpc.health.v1.Health/Watch"] = {
      [&methods, &watchers](std::shared_ptr<GrpcCall> call, const std::string& bytes) {
        const auto request = parsed<health::HealthCheckRequest>(bytes);
        if (request == nullptr) return call->finish(unparsable<health::HealthCheckRequest>());
        const bool known = is_known(*request, methods);
        call->send(reply_of(known ? health::HealthCheckResponse::SERVING
                                  : health::HealthCheckResponse::SERVICE_UNKNOWN)
                       .SerializeAsString());
        // Those whose client is gone make room.
        std::erase_if(watchers, [](const auto& watcher) { return !watcher->is_open(); });
        watchers.push_back(std::move(call));
      }};
}

void tell_end(std::vector<std::shared_ptr<GrpcCall>>& watchers) {
  for (const std::shared_ptr<GrpcCall>& watcher : watchers)
    answer(*watcher, reply_of(health::HealthCheckResponse::NOT_SERVING));
  watchers.clear();
}

}  // namespace mycel::serving
