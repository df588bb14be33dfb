// SPDX-License-Identifier: Apache-2.0
// What the gRPC port can be asked. Everything referred to lives longer than the methods.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "platform/error/error.h"
#include "serving/gateway/grpc_call.h"
#include "serving/gateway/side_thread.h"
#include "serving/repository/repository.h"

namespace mycel::serving {

void add_predict(GrpcMethods& methods, Repository& repository,
                 SideThread& side);  // MindSpore Serving
void add_inference(GrpcMethods& methods, Repository& repository, SideThread& side);  // KServe V2
// Answers of those who watch are kept in `watchers`, to be told that the server ends.
void add_health(GrpcMethods& methods, std::vector<std::shared_ptr<GrpcCall>>& watchers);
void tell_end(std::vector<std::shared_ptr<GrpcCall>>& watchers);
void add_reflection(GrpcMethods& methods);

// Null when it is no such message.
template <class Message>
std::shared_ptr<const Message> parsed(const std::string& bytes) {
  auto message = std::make_shared<Message>();
  if (!message->ParseFromString(bytes)) return nullptr;
  return message;
}

template <class Message>
GrpcStatus unparsable() {
  return {GrpcCode::Internal,
          platform::join("the request is no ", Message::descriptor()->full_name())};
}

template <class Message>
void answer(GrpcCall& call, const Message& reply) {
  call.send(reply.SerializeAsString());
  call.finish({});
}

// A method that looks at a message and answers at once; `body` gives a reply or throws nothing.
template <class Request, class Body>
GrpcMethod quick_method(Body body) {
  return {[body](const std::shared_ptr<GrpcCall>& call, const std::string& bytes) {
    const auto request = parsed<Request>(bytes);
    if (request == nullptr) return call->finish(unparsable<Request>());
    body(*call, *request);
  }};
}

}  // namespace mycel::serving
