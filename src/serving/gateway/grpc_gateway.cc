// SPDX-License-Identifier: Apache-2.0
#include "serving/gateway/grpc_gateway.h"

#include <algorithm>
#include <string>

#include <google/protobuf/stubs/logging.h>

#include "serving/gateway/accept_loop.h"
#include "serving/gateway/grpc_server.h"
#include "serving/gateway/grpc_services.h"
#include "serving/gateway/tls.h"

namespace mycel::serving {
namespace {

using platform::ErrorKind;

}  // namespace

struct GrpcGateway::State {
  explicit State(boost::asio::io_context& context) : side(context) {}

  SideThread side;
  std::vector<std::shared_ptr<GrpcCall>> watchers;  // of the server's health
  GrpcMethods methods;
  std::unique_ptr<GrpcServer> server;
};

GrpcGateway::GrpcGateway(boost::asio::io_context& context, Repository& repository,
                         const ListenOptions& options)
    : state_(std::make_unique<State>(context)) {
  // It would write a line to the standard error for every message that is none: whoever sends many
  // would fill the disk.
  google::protobuf::SetLogHandler(nullptr);
  add_predict(state_->methods, repository, state_->side);
  add_inference(state_->methods, repository, state_->side);
  add_health(state_->methods, state_->watchers);
  add_reflection(state_->methods);
  const Address address = read_address(options.address, "Serving gRPC");
  const std::string failed = platform::join(
      "Serving Error: Serving gRPC server start failed, create server failed, address ",
      options.address, ": ");
  const auto tls = options.tls ? make_tls(*options.tls, failed) : nullptr;
  GrpcServerLimits limits;
  limits.most_connections = within_descriptors(limits.most_connections, 1.0 / 3);
  limits.calls.most_message_bytes = options.most_message_bytes;
  limits.calls.most_held_bytes =
      std::max(limits.calls.most_held_bytes, 2 * options.most_message_bytes);
  try {
    state_->server = std::make_unique<GrpcServer>(context, address, tls, state_->methods, limits);
  } catch (const platform::Error& error) {
    platform::fail(ErrorKind::Runtime, failed, error.message());
  }
}

GrpcGateway::~GrpcGateway() = default;

void GrpcGateway::close_port() { state_->server->close_port(); }

void GrpcGateway::go_away() {
  tell_end(state_->watchers);
  state_->server->go_away();
}

std::size_t GrpcGateway::connections() const { return state_->server->connections(); }

}  // namespace mycel::serving
