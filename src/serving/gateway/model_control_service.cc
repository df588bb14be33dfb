// SPDX-License-Identifier: Apache-2.0
// The repository extension of the Open Inference Protocol over gRPC.
#include <open_inference.pb.h>

#include "serving/gateway/inference_service.h"
#include "serving/gateway/model_control.h"

namespace mycel::serving {
namespace {

using platform::join;

// Null: the one repository there is, which has no name.
template <class Request>
std::optional<GrpcStatus> refusal_of_place(const Request& request) {
  if (request.repository_name().empty()) return std::nullopt;
  return GrpcStatus{GrpcCode::InvalidArgument,
                    join("there is no repository '", request.repository_name(),
                         "': the one of this server has no name")};
}

using Control = void (*)(Repository& repository, const ControlledModel& model, Controlled done);

template <class Request, class Reply>
GrpcMethod control_method(Repository& repository, Control control) {
  return {[&repository, control](const std::shared_ptr<GrpcCall>& call, const std::string& bytes) {
    const auto request = parsed<Request>(bytes);
    if (request == nullptr) return call->finish(unparsable<Request>());
    if (const auto refused = refusal_of_place(*request)) return call->finish(*refused);
    ControlledModel model{request->model_name(), "", {}};
    for (const auto& [name, value] : request->parameters()) model.parameters.push_back(name);
    control(repository, model, [call](const std::optional<std::string>& problem) {
      if (problem) return call->finish({GrpcCode::InvalidArgument, *problem});
      answer(*call, Reply());
    });
  }};
}

inference::RepositoryIndexResponse index_reply(const std::vector<ModelState>& states) {
  inference::RepositoryIndexResponse reply;
  for (const ModelState& state : states) {
    auto& model = *reply.add_models();
    model.set_name(state.name);
    model.set_version(state.version);
    model.set_state(state.state);
  }
  return reply;
}

}  // namespace

void add_model_control(GrpcMethods& methods, Repository& repository) {
  methods[inference_path("RepositoryIndex")] = quick_method<inference::RepositoryIndexRequest>(
      [&repository](GrpcCall& call, const inference::RepositoryIndexRequest& request) {
        if (const auto refused = refusal_of_place(request)) return call.finish(*refused);
        answer(call, index_reply(model_states(repository, request.ready())));
      });
  methods[inference_path("RepositoryModelLoad")] =
      control_method<inference::RepositoryModelLoadRequest, inference::RepositoryModelLoadResponse>(
          repository, load_model);
  methods[inference_path("RepositoryModelUnload")] =
      control_method<inference::RepositoryModelUnloadRequest,
                     inference::RepositoryModelUnloadResponse>(repository, unload_model);
}

}  // namespace mycel::serving
