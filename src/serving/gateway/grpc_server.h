// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ssl/context.hpp>

#include "serving/gateway/address.h"
#include "serving/gateway/grpc_session.h"

namespace mycel::serving {

struct GrpcServerLimits {
  std::size_t most_connections = 4096;
  std::chrono::milliseconds handshake_time{10'000};  // of TLS
  // When there is no room, the connection that has asked nothing for longest, and so long, makes
  // it.
  std::chrono::milliseconds least_silence{1'000};
  GrpcLimits calls;
};

// A port of gRPC: connections, TLS, and a GrpcSession for each. On the thread of its io_context.
class GrpcServer {
 public:
  // RuntimeError with the reason when the address cannot be listened to. Without `tls`: plain
  // HTTP/2. The methods live longer than the server.
  GrpcServer(boost::asio::io_context& context, const Address& address,
             std::shared_ptr<boost::asio::ssl::context> tls, const GrpcMethods& methods,
             GrpcServerLimits limits);
  ~GrpcServer();  // closes the connections that are left
  GrpcServer(const GrpcServer&) = delete;
  GrpcServer& operator=(const GrpcServer&) = delete;

  void close_port();  // no more connections; those that are there go on
  void go_away();     // no more calls; those that are open are finished
  std::size_t connections() const;
  // The one that was given when port 0 was asked for.
  std::uint16_t port() const;

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace mycel::serving
