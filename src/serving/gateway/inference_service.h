// SPDX-License-Identifier: Apache-2.0
// What the parts of the Open Inference Protocol over gRPC share.
#pragma once

#include <string>
#include <string_view>
#include <variant>

#include "serving/gateway/grpc_services.h"

namespace mycel::serving {

// The path of a method of its service.
std::string inference_path(std::string_view method);

GrpcStatus status_of(const Failure& failure);

// The version as text; empty: the newest.
std::variant<Route, Failure> find_model(const Repository& repository, const std::string& model,
                                        const std::string& version);

// The parts besides metadata: inference, and the repository extension.
void add_infer(GrpcMethods& methods, Repository& repository, SideThread& side);
void add_model_control(GrpcMethods& methods, Repository& repository);

}  // namespace mycel::serving
